package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds features that a task needs and its target does not have. Pure. */
final class TaskLimitChecks {
  private static final String DEBEZIUM = "debezium";

  private final TaskConfig config;
  private final TargetDialect target;
  private final List<Problem> problems = new ArrayList<>();

  private TaskLimitChecks(TaskConfig config, TargetDialect target) {
    this.config = config;
    this.target = target;
  }

  /**
   * @param carried the task's tables on the source
   */
  static List<Problem> problems(
      TaskConfig config, TargetDialect target, List<CatalogTable> carried) {
    TaskLimitChecks checks = new TaskLimitChecks(config, target);
    checks.ofFile();
    checks.ofDatabase(carried);
    carried.forEach(checks::ofRules);
    return checks.problems;
  }

  private void ofFile() {
    String type = config.source().endpoint().type();
    if (type.equals(Endpoint.POSTGRESQL)) {
      return;
    }
    if (target.limits().contains(TargetLimit.OTHER_SOURCES) || type.equals(DEBEZIUM)) {
      add(
          target.limits().contains(TargetLimit.OTHER_SOURCES)
              ? TargetLimit.OTHER_SOURCES
              : TargetLimit.DEBEZIUM_SOURCES,
          "source.type " + type,
          "Use a target of type postgresql");
    }
  }

  /** One problem for each database that the url does not name. */
  private void ofDatabase(List<CatalogTable> carried) {
    String named = config.target().database();
    if (!target.limits().contains(TargetLimit.OTHER_DATABASES) || named.isEmpty()) {
      return;
    }
    Map<String, Set<String>> schemas = new TreeMap<>();
    for (CatalogTable each : carried) {
      String written = config.tableMappings().targetOf(each.table()).schema();
      if (!written.equals(named)) {
        schemas.computeIfAbsent(written, key -> new TreeSet<>()).add(each.table().schema());
      }
    }
    schemas.forEach((written, sources) -> problems.add(elsewhere(written, sources, named)));
  }

  private static Problem elsewhere(String written, Set<String> sources, String named) {
    return new Problem(
        "target database " + written,
        "the tables of the source's schema %s would be written there, and target.url names the database %s"
            .formatted(String.join(", ", sources), named),
        "tables in the database that target.url names, the only one to which the task writes",
        "If %1$s is meant, write it at the end of target.url. If %2$s is meant, map the schema to it: {rule-type: transformation, rule-action: rename, rule-target: schema, object-locator: {schema-name: %3$s}, value: %2$s}. Tables of several databases need a task for each"
            .formatted(written, named, sources.iterator().next()));
  }

  private void ofRules(CatalogTable carried) {
    TableId table = carried.table();
    TableMappings mappings = config.tableMappings();
    boolean mapped =
        !mappings.addedColumns(table).isEmpty()
            || mappings.beforeImages(table).isPresent()
            || mappings.consolidation(table).isPresent()
            || carried.columns().stream()
                .anyMatch(column -> mappings.columns().typeOf(table, column.name()).isPresent());
    if (mapped) {
      add(
          TargetLimit.MAPPED_TYPES,
          "table-mappings, table " + table,
          "Remove the rules that add columns or change types");
    }
  }

  private void add(TargetLimit limit, String thing, String fix) {
    TargetLimits.problem(target, limit, thing, fix).ifPresent(problems::add);
  }
}
