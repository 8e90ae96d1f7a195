package dev.sluice.engine.context;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.sink.control.task.CutOverTables;
import dev.sluice.sink.control.task.CutOverTables.CutOverTable;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Prevents a task from loading into tables that applications use since a cutover. Stateless. */
public final class CutoverMemory {
  private static final int NAMED_AT_MOST = 20;

  private CutoverMemory() {}

  /** Problems of loading into these tables: one for each task that was cut over to them. */
  public static List<Problem> problems(TargetServer target, Collection<TableId> tables) {
    return problems(target, tables, Optional.empty());
  }

  /**
   * The same for the target of a task.
   *
   * @param tables of the target
   */
  public static List<Problem> problems(TaskContext context, Collection<TableId> tables) {
    return problems(
        context.target(), tables, context.config().forward().map(forward -> context.task()));
  }

  /**
   * @param wayBack the task of the way back, if its target is asked
   */
  private static List<Problem> problems(
      TargetServer target, Collection<TableId> tables, Optional<String> wayBack) {
    Map<String, List<CutOverTable>> byTask =
        new CutOverTables(target)
            .among(tables).stream()
                .collect(
                    Collectors.groupingBy(CutOverTable::task, TreeMap::new, Collectors.toList()));
    List<Problem> problems = new ArrayList<>();
    byTask.forEach((task, cutOver) -> problems.add(problem(task, cutOver, wayBack)));
    return problems;
  }

  /**
   * Requires that no task was cut over to these tables.
   *
   * @throws SluiceException.Fatal if one was; its problems name the tables
   */
  public static void requireNone(TargetServer target, Collection<TableId> tables) {
    List<Problem> problems = problems(target, tables);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** The tables that a task was cut over to, each with the time, as recorded on the target. */
  public static SortedMap<TableId, Instant> of(Endpoint target, String task) {
    SortedMap<TableId, Instant> tables = new TreeMap<>();
    record(target, task).of(task).forEach(table -> tables.put(table.table(), table.at()));
    return tables;
  }

  /** Deletes the records of a task's cutover; returns the tables that had one. */
  public static List<TableId> forget(Endpoint target, String task, Collection<TableId> tables) {
    return record(target, task).forget(task, tables).stream().map(CutOverTable::table).toList();
  }

  /** A file with a way back names two targets. */
  private static String forgetting(String task, Optional<String> wayBack) {
    if (wayBack.isEmpty()) {
      return "--task " + task;
    }
    return wayBack.get().equals(task) ? "--fallback" : "--fallback --task " + task;
  }

  private static CutOverTables record(Endpoint target, String task) {
    return new CutOverTables(TargetServers.of(target, "sluice " + task, 0));
  }

  private static Problem problem(String task, List<CutOverTable> tables, Optional<String> wayBack) {
    Instant at = tables.get(0).at();
    int more = tables.size() - NAMED_AT_MOST;
    String names =
        tables.subList(0, Math.min(NAMED_AT_MOST, tables.size())).stream()
            .map(table -> table.table().toString())
            .collect(Collectors.joining(", "));
    return new Problem(
        "target tables",
        "task %s was cut over at %s, so applications may have written to %s since: %s%s"
            .formatted(
                task,
                at,
                Counted.of(tables.size(), "table"),
                names,
                more > 0 ? " and " + more + " more" : ""),
        "a target to which no application was switched",
        "Name another target. Only where no application uses these tables any more: sluice"
            + " forget-cutover TASK.yaml "
            + forgetting(task, wayBack));
  }
}
