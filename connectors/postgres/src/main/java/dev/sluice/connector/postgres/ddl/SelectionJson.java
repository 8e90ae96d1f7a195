package dev.sluice.connector.postgres.ddl;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.transformation.SelectionPattern;
import java.util.List;

/** Writes the selection rules as JSON for the event triggers. Stateless. */
final class SelectionJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private SelectionJson() {}

  static String write(List<SelectionPattern> patterns) {
    ArrayNode rules = JSON.createArrayNode();
    for (SelectionPattern pattern : patterns) {
      ObjectNode rule =
          rules.addObject().put("schema", pattern.schema()).put("table", pattern.table());
      switch (pattern.says()) {
        case INCLUDED -> rule.put("exclude", false);
        case FILTERED -> rule.put("exclude", false).put("filters", true);
        case EXCLUDED -> rule.put("exclude", true);
        case WHOLE_ROWS -> rule.put("wholeRows", true);
      }
    }
    return rules.toString();
  }
}
