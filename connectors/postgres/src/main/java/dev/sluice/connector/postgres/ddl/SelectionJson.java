package dev.sluice.connector.postgres.ddl;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sluice.config.SelectionPattern;
import java.util.List;

/** The selection rules as the event triggers read them. Stateless. */
final class SelectionJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private SelectionJson() {}

  static String write(List<SelectionPattern> patterns) {
    ArrayNode rules = JSON.createArrayNode();
    for (SelectionPattern pattern : patterns) {
      rules
          .addObject()
          .put("exclude", pattern.excludes())
          .put("schema", pattern.schema())
          .put("table", pattern.table())
          .put("filters", pattern.filters());
    }
    return rules.toString();
  }
}
