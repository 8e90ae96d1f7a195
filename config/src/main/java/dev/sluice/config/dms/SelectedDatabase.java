package dev.sluice.config.dms;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.mappings.TableMappings;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The database of MariaDB or MySQL that the selection rules mean. DMS's endpoints mostly name none,
 * and a url of a task file names one. Stateless.
 */
final class SelectedDatabase {
  private SelectedDatabase() {}

  /**
   * The endpoint with the database of the rules, if they name one.
   *
   * @param schemas that the rules name on that side
   */
  static DmsEndpoint in(String side, DmsEndpoint endpoint, List<String> schemas) {
    String given = endpoint.address().database();
    boolean writes = side.equals(DmsEndpoint.TARGET);
    // On a target DMS writes all tables into the database that its endpoint names.
    if (!endpoint.engine().hasDatabasesForSchemas()
        || schemas.isEmpty()
        || schemas.equals(List.of(given))
        || writes && !given.isEmpty()) {
      return endpoint;
    }
    String start = side + " endpoint: DatabaseName " + (given.isEmpty() ? "(empty)" : given);
    if (schemas.size() > 1) {
      return endpoint.withDatabase(
          given,
          start
              + " — the table mappings name "
              + String.join(", ", schemas)
              + (writes ? " on the target" : "")
              + ", and a task has one database there: make a task for each");
    }
    return endpoint.withDatabase(
        schemas.get(0),
        start + " — " + side + ".url has " + schemas.get(0) + ", which the table mappings name");
  }

  /** The schemas that the selection rules name; empty if one of them has a wildcard. */
  static List<String> ofSource(Node.Mapping mappings) {
    TreeSet<String> schemas = new TreeSet<>();
    if (!(new Fields(mappings, new Problems()).take("rules").orElse(null)
        instanceof Node.Sequence rules)) {
      return List.of();
    }
    rules.items().forEach(rule -> included(rule).ifPresent(schemas::add));
    return schemas.stream().anyMatch(schema -> schema.matches(".*[%\\[].*"))
        ? List.of()
        : List.copyOf(schemas);
  }

  /** The name in a rule that includes tables. An underscore is taken for itself, as it is meant. */
  private static Optional<String> included(Node node) {
    if (!(node instanceof Node.Mapping rule)) {
      return Optional.empty();
    }
    Fields fields = new Fields(rule, new Problems());
    boolean includes =
        fields.text("rule-type").equals(Optional.of("selection"))
            && !fields.text("rule-action").equals(Optional.of("exclude"));
    return fields
        .mapping("object-locator")
        .filter(locator -> includes)
        .flatMap(locator -> new Fields(locator, new Problems()).text("schema-name"))
        .map(schema -> schema.replace("[_]", "_"));
  }

  /** The names of those schemas on the target. */
  static List<String> ofTarget(List<String> schemas, TableMappings mappings) {
    return schemas.stream()
        .map(schema -> mappings.targetOf(new TableId(schema, "t")).schema())
        .distinct()
        .sorted()
        .toList();
  }
}
