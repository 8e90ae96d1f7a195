package dev.sluice.engine.context;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The row filters with which a task captures its tables, where the source does not keep them. The
 * target has the rows that they select, so a start with others is refused. Immutable.
 */
public final class RecordedFilters {
  private static final RecordedFilters NONE = new RecordedFilters(Map.of());

  /** The condition of each table that has a filter. */
  private final Map<TableId, String> conditions;

  private RecordedFilters(Map<TableId, String> conditions) {
    this.conditions = new TreeMap<>(conditions);
  }

  /** Those in a task's steps. A task that has recorded none has begun without filters. */
  public static RecordedFilters of(List<TaskStep> steps) {
    return steps.stream()
        .filter(step -> step.step().equals(TaskStepNames.FILTERS))
        .findFirst()
        .map(step -> parse(step.detail()))
        .orElse(NONE);
  }

  private static RecordedFilters parse(String detail) {
    try {
      Map<TableId, String> conditions = new TreeMap<>();
      for (JsonNode table : StatusJson.tree(detail)) {
        conditions.put(
            new TableId(table.path(0).asText(), table.path(1).asText()), table.path(2).asText());
      }
      return new RecordedFilters(conditions);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the remembered filters are no JSON: " + detail, e);
    }
  }

  /** The detail of the step that records them, as JSON. */
  public String detail() {
    return StatusJson.write(
        conditions.entrySet().stream()
            .map(each -> List.of(each.getKey().schema(), each.getKey().name(), each.getValue()))
            .toList());
  }

  /** Those of the mappings, for tables with which a task begins. */
  public static RecordedFilters of(TableMappings mappings, Collection<TableId> tables) {
    return NONE.and(mappings, tables);
  }

  /** These, and those of the mappings for tables that the task takes in. */
  public RecordedFilters and(TableMappings mappings, Collection<TableId> tables) {
    Map<TableId, String> all = new TreeMap<>(conditions);
    for (TableId table : tables) {
      all.remove(table);
      condition(mappings, table).ifPresent(condition -> all.put(table, condition));
    }
    return new RecordedFilters(all);
  }

  private static Optional<String> condition(TableMappings mappings, TableId table) {
    return mappings.filter(table).map(RowFilter::condition);
  }

  /**
   * The problems of tables whose filter is another one now.
   *
   * @param tables that the task replicates
   */
  public List<Problem> changes(TableMappings mappings, Collection<TableId> tables) {
    return tables.stream()
        .filter(mappings::selects)
        .sorted()
        .filter(table -> !then(table).equals(condition(mappings, table)))
        .map(table -> problem(table, condition(mappings, table)))
        .toList();
  }

  /**
   * @throws SluiceException.Fatal naming each table whose filter is another one now
   */
  public void requireSame(TableMappings mappings, Collection<TableId> tables) {
    List<Problem> problems = changes(mappings, tables);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private Optional<String> then(TableId table) {
    return Optional.ofNullable(conditions.get(table));
  }

  private Problem problem(TableId table, Optional<String> now) {
    return new Problem(
        "table " + table,
        "the rules now select %s of its rows, and the task has replicated %s so far"
            .formatted(shown(now), shown(then(table))),
        "the filter with which the task began: the target has its rows",
        "Bring the filter back. To use another one, request sluice resync first: the next run then"
            + " compares all rows with the new filter. With --delete-extra it also deletes rows that"
            + " the new filter does not select");
  }

  private static String shown(Optional<String> condition) {
    return condition.map(rows -> "those where " + rows).orElse("all");
  }
}
