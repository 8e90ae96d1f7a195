package dev.sluice.sink;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.progress.TableProgress;
import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.CapturedChanges;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts what the apply thread has done and makes its progress snapshots. Owned by the apply
 * thread.
 */
final class ApplyLedger {
  private static final int FENCES_KEPT = 1000;

  private final Map<TableId, TableProgress> tables = new HashMap<>();
  private final List<String> fences = new ArrayList<>();
  private final List<String> fencesNotDurable = new ArrayList<>();

  private SinkState state = SinkState.RUNNING;
  private String detail = "";
  private AppliedPoint applied;
  private AppliedPoint durable;
  private long windows;
  private LastWindow lastWindow;
  private List<SuspendedTable> suspended;
  private long changes;
  private long netChanges;
  private WindowFigures figures = WindowFigures.NONE;

  /** Failed attempts of the window that is being applied. */
  private long retries;

  private SluiceException failure;

  ApplyLedger(JournalOffset start, List<SuspendedTable> suspended) {
    this.suspended = suspended;
    applied = new AppliedPoint(start, Optional.empty());
    durable = applied;
  }

  /**
   * Counts an applied window.
   *
   * @param nowSuspended the tables that are suspended after it
   * @param visible how long its first transaction with changes took from the source's commit on
   * @return the window as it was counted
   */
  LastWindow applied(
      ClosedWindow window,
      AppliedWindow result,
      List<SuspendedTable> nowSuspended,
      Duration took,
      Duration visible) {
    CapturedChanges captured = result.captured().orElseGet(window.captured());
    suspended = nowSuspended;
    applied = new AppliedPoint(window.place(), Optional.of(window.lastCommit()));
    windows++;
    lastWindow =
        new LastWindow(
            window.reason(),
            window.transactions(),
            captured.changes(),
            result.netChanges(),
            result.statements(),
            took);
    figures = figures.with(lastWindow, visible);
    changes += captured.changes();
    netChanges += result.netChanges();
    captured
        .tables()
        .forEach(
            (table, counters) ->
                count(table, new TableProgress(counters, TableCounters.NONE, TableErrors.NONE)));
    result
        .tables()
        .forEach(
            (table, counters) ->
                count(table, new TableProgress(TableCounters.NONE, counters, TableErrors.NONE)));
    result
        .errors()
        .forEach(
            (table, errors) ->
                count(table, new TableProgress(TableCounters.NONE, TableCounters.NONE, errors)));
    fencesNotDurable.addAll(captured.fences());
    running();
    return lastWindow;
  }

  /** How many attempts of the last window failed; counts from zero again. */
  long takeRetries() {
    long taken = retries;
    retries = 0;
    return taken;
  }

  /** Keeps how long the applier's stages have taken since the start. */
  void stages(Map<ApplyStage, Duration> times) {
    figures = figures.with(times);
  }

  /** Records that everything applied so far survives a crash of the target. */
  void durable() {
    durable = applied;
    fences.addAll(fencesNotDurable);
    fencesNotDurable.clear();
    if (fences.size() > FENCES_KEPT) {
      fences.subList(0, fences.size() - FENCES_KEPT).clear();
    }
    running();
  }

  boolean isAllDurable() {
    return durable.equals(applied);
  }

  boolean hasFenceToHarden() {
    return !fencesNotDurable.isEmpty();
  }

  void retrying(RetriedWork work, String reason) {
    figures = figures.retried(work);
    if (work == RetriedWork.APPLY) {
      retries++;
    }
    state = SinkState.TARGET_RETRY;
    detail = reason;
  }

  void failed(SluiceException reason) {
    state = SinkState.FAILED;
    detail = String.valueOf(reason.getMessage());
    failure = reason;
  }

  void stopped() {
    state = SinkState.STOPPED;
    detail = "";
  }

  ApplyProgress progress() {
    return new ApplyProgress(
        state,
        detail,
        applied,
        durable,
        windows,
        Optional.ofNullable(lastWindow),
        changes,
        netChanges,
        figures,
        tables,
        suspended,
        fences,
        Optional.ofNullable(failure));
  }

  private void running() {
    state = SinkState.RUNNING;
    detail = "";
  }

  private void count(TableId table, TableProgress more) {
    tables.merge(table, more, TableProgress::plus);
  }
}
