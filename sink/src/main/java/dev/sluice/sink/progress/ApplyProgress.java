package dev.sluice.sink.progress;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.suspension.SuspendedTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A snapshot of what the apply thread has done since the start. Immutable; made by that thread
 * after each window.
 *
 * @param detail details of the state: the error that is being retried, or that ended the thread
 * @param applied up to where the target has the changes
 * @param durable up to where the changes survive a crash of the target
 * @param changes row changes of the windows applied, before compaction
 * @param netChanges net changes of those windows
 * @param suspended the tables that are suspended
 * @param figures what metrics show of the windows applied
 * @param fences positions in the source's log of the last durable fences, oldest first
 */
public record ApplyProgress(
    SinkState state,
    String detail,
    AppliedPoint applied,
    AppliedPoint durable,
    long windows,
    Optional<LastWindow> lastWindow,
    long changes,
    long netChanges,
    WindowFigures figures,
    Map<TableId, TableProgress> tables,
    List<SuspendedTable> suspended,
    List<String> fences,
    Optional<SluiceException> failure) {
  /** If lanes are in different states, the first of these is the task's state. */
  private static final List<SinkState> SEVERITY =
      List.of(
          SinkState.FAILED,
          SinkState.TARGET_RETRY,
          SinkState.SWAP_FULL,
          SinkState.RUNNING,
          SinkState.STOPPED);

  public ApplyProgress {
    tables = Map.copyOf(tables);
    suspended = List.copyOf(suspended);
    fences = List.copyOf(fences);
  }

  /** The combined progress of two lanes. */
  ApplyProgress and(ApplyProgress other) {
    boolean isLower = !applied.position().isAfter(other.applied.position());
    ApplyProgress lower = isLower ? this : other;
    ApplyProgress higher = isLower ? other : this;
    ApplyProgress worse = SEVERITY.indexOf(state) <= SEVERITY.indexOf(other.state) ? this : other;
    Map<TableId, TableProgress> sums = new HashMap<>(tables);
    other.tables.forEach((table, more) -> sums.merge(table, more, TableProgress::plus));
    Map<TableId, SuspendedTable> passedOver = new TreeMap<>();
    suspended.forEach(table -> passedOver.put(table.table(), table));
    other.suspended.forEach(table -> passedOver.put(table.table(), table));
    List<String> passed = new ArrayList<>(fences);
    passed.retainAll(other.fences);
    return new ApplyProgress(
        worse.state,
        worse.detail,
        lower.applied,
        durable.lower(other.durable),
        windows + other.windows,
        lower.lastWindow.or(() -> higher.lastWindow),
        changes + other.changes,
        netChanges + other.netChanges,
        figures.plus(other.figures),
        sums,
        List.copyOf(passedOver.values()),
        passed,
        failure.or(() -> other.failure));
  }

  /**
   * The lowest journal offset that is still needed, by the durable checkpoint and by the suspended
   * tables.
   */
  public long neededOffset() {
    return suspended.stream()
        .mapToLong(table -> table.applied().nextOffset())
        .reduce(durable.nextOffset(), Math::min);
  }
}
