package dev.sluice.sink.progress;

import dev.sluice.config.Durations;
import dev.sluice.sink.window.policy.WindowPlan;
import java.time.Instant;
import java.util.Optional;

/**
 * The numbers that the sink's metrics show. Immutable.
 *
 * @param windows applied
 * @param changes row changes of those windows, before compaction
 * @param netChanges net changes of those windows
 * @param conflicts changes that the target rejected
 * @param suspendedTables tables whose changes are not applied with the others
 * @param backlogChanges changes that are known and not applied yet
 * @param memoryBytes held by open transactions and windows
 * @param swapBytes total size of the swap files
 * @param plan how the next windows are filled
 * @param lastCommit when the source committed the last applied transaction; empty if unknown
 */
public record SinkFigures(
    long windows,
    long changes,
    long netChanges,
    long conflicts,
    long suspendedTables,
    long backlogChanges,
    long memoryBytes,
    long swapBytes,
    Plan plan,
    Optional<Instant> lastCommit) {
  static final SinkFigures NONE =
      new SinkFigures(0, 0, 0, 0, 0, 0, 0, 0, Plan.NONE, Optional.empty());

  /**
   * How the next windows are filled.
   *
   * @param seconds for which a window stays open at least; 0 if the settings give it
   * @param changes that are read in this time
   */
  public record Plan(double seconds, long changes) {
    public static final Plan NONE = new Plan(0, 0);

    static Plan of(WindowPlan plan) {
      return new Plan(Durations.seconds(plan.times().least()), plan.changes());
    }
  }

  /** The numbers of one pipeline, which count from its start. */
  public static SinkFigures of(SinkProgress progress) {
    ApplyProgress apply = progress.apply();
    IntakeProgress intake = progress.intake();
    return new SinkFigures(
        apply.windows(),
        apply.changes(),
        apply.netChanges(),
        apply.tables().values().stream().mapToLong(table -> table.errors().conflicts()).sum(),
        apply.suspended().size(),
        intake.backlogChanges(),
        intake.memory().bytes(),
        intake.swap().bytes(),
        progress.plan().map(Plan::of).orElse(Plan.NONE),
        apply.applied().lastCommit());
  }

  /** The same without what holds only now: of a pipeline that has ended. */
  SinkFigures counted() {
    return new SinkFigures(
        windows, changes, netChanges, conflicts, 0, 0, 0, 0, Plan.NONE, Optional.empty());
  }

  /** Together with a later pipeline. */
  SinkFigures plus(SinkFigures later) {
    return new SinkFigures(
        windows + later.windows,
        changes + later.changes,
        netChanges + later.netChanges,
        conflicts + later.conflicts,
        suspendedTables + later.suspendedTables,
        backlogChanges + later.backlogChanges,
        memoryBytes + later.memoryBytes,
        swapBytes + later.swapBytes,
        later.plan,
        later.lastCommit.or(() -> lastCommit));
  }
}
