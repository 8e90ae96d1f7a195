package dev.sluice.engine.validate;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.DifferenceTracker.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Compares a task's tables on both sides. If the task runs, tables that differ are compared again
 * after a fence, so that rows in flight do not count as differences. Used by one thread.
 */
public final class TaskValidation {
  private static final int COMPARISONS_AT_MOST = 6;

  private final TaskContext context;

  private TaskValidation(TaskContext context) {
    this.context = context;
  }

  public static TaskValidation of(TaskConfig config) {
    return new TaskValidation(TaskContext.of(config));
  }

  static TaskValidation of(TaskContext context) {
    return new TaskValidation(context);
  }

  /** Waits until what the source has committed is on the target. */
  public interface Fence {

    /** Writes a fence and waits for it; returns why it did not pass in time, or empty if it did. */
    Optional<String> pass() throws InterruptedException;
  }

  /** The result for all tables. */
  public enum Verdict {
    EQUAL,
    NOT_EQUAL,
    /** Rows kept changing. */
    NOT_COMPARABLE
  }

  /** Compares once, without replication: every difference counts. */
  public Result compare() {
    Position from = context.source().log().current();
    Map<TableId, Compared> all = new LinkedHashMap<>();
    for (ComparedTable table : comparison().compare(tables())) {
      all.put(
          table.table(), new Compared(table, table.isEqual() ? State.EQUAL : State.DIFFERENT, ""));
    }
    return result(all, "compared once, with the source's log at " + from);
  }

  /**
   * Compares during replication.
   *
   * @param fence passed before each comparison, including the first one
   */
  public Result compare(Fence fence) throws InterruptedException {
    Position from = context.source().log().current();
    Map<TableId, Compared> all = new LinkedHashMap<>();
    Map<TableId, DifferenceTracker> trackers = new LinkedHashMap<>();
    List<TableId> open = tables();
    Optional<String> late = Optional.empty();
    int comparisons = 0;
    while (comparisons < COMPARISONS_AT_MOST && (comparisons == 0 || !open.isEmpty())) {
      late = fence.pass();
      if (late.isPresent()) {
        break;
      }
      comparisons++;
      DifferingRows differing = new DifferingRows();
      for (ComparedTable table : comparison().compare(open, differing)) {
        DifferingRows.OfTable rows = differing.of(table.table());
        DifferenceTracker tracker = trackers.get(table.table());
        if (tracker == null) {
          tracker = new DifferenceTracker(rows);
          trackers.put(table.table(), tracker);
        } else {
          tracker.compareAgain(rows);
        }
        all.put(table.table(), new Compared(table, tracker.state(), words(tracker, comparisons)));
      }
      open = all.keySet().stream().filter(table -> all.get(table).state() == State.OPEN).toList();
    }
    String how = "each row compared after the source's log was at " + from;
    if (comparisons == 0) {
      return new Result(
          Verdict.NOT_COMPARABLE, List.of("not comparable now: " + late.orElse("no fence")));
    }
    return result(all, late.map(why -> how + "; not compared again: " + why).orElse(how));
  }

  private static String words(DifferenceTracker tracker, int comparisons) {
    return switch (tracker.state()) {
      case EQUAL -> comparisons > 1 ? " after %d comparisons".formatted(comparisons) : "";
      case DIFFERENT ->
          "; %s did not change in three comparisons"
              .formatted(Counted.of(tracker.proven(), "differing row"));
      case OPEN ->
          "; %s kept changing in %s"
              .formatted(
                  Counted.of(tracker.open(), "differing row"),
                  Counted.of(comparisons, "comparison"));
    };
  }

  private List<TableId> tables() {
    return context.followed(context.steps().all(context.task())).tables().stream()
        .map(CatalogTable::table)
        .toList();
  }

  private TableComparison comparison() {
    return new TableComparison(
        context.source().reader(), context.target(), context.config().tableMappings());
  }

  private static Result result(Map<TableId, Compared> all, String how) {
    List<String> lines = new ArrayList<>();
    long rows = 0;
    Verdict verdict = Verdict.EQUAL;
    for (Compared table : all.values()) {
      rows += table.table().sourceRows();
      lines.add(table.line());
      verdict = worse(verdict, table.state());
    }
    String word =
        switch (verdict) {
          case EQUAL -> "equal";
          case NOT_EQUAL -> "NOT equal";
          case NOT_COMPARABLE -> "not comparable now, since rows kept changing";
        };
    lines.add(
        "%s: %s, %s; %s"
            .formatted(word, Counted.of(all.size(), "table"), Counted.of(rows, "row"), how));
    return new Result(verdict, lines);
  }

  private static Verdict worse(Verdict verdict, State state) {
    return switch (state) {
      case EQUAL -> verdict;
      case DIFFERENT -> Verdict.NOT_EQUAL;
      case OPEN -> verdict == Verdict.EQUAL ? Verdict.NOT_COMPARABLE : verdict;
    };
  }

  /**
   * The result for one table.
   *
   * @param table the last comparison
   * @param words more details
   */
  private record Compared(ComparedTable table, State state, String words) {
    String line() {
      if (state == State.EQUAL) {
        return "%s: %s, equal%s"
            .formatted(table.table(), Counted.of(table.sourceRows(), "row"), words);
      }
      return String.format(
          Locale.ROOT,
          "%s: %s on the source, %,d on the target: %,d differ, %,d missing, %,d extra: %s%s",
          table.table(),
          Counted.of(table.sourceRows(), "row"),
          table.targetRows(),
          table.differing(),
          table.missing(),
          table.extra(),
          table.examples(),
          words);
    }
  }

  /**
   * The result of a validation. Immutable.
   *
   * @param lines one for each table, and one with the totals
   */
  public record Result(Verdict verdict, List<String> lines) {
    public Result {
      lines = List.copyOf(lines);
    }

    public boolean equal() {
      return verdict == Verdict.EQUAL;
    }
  }
}
