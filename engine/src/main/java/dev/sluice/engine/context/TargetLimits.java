package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.kind.TargetServers;
import java.time.Duration;
import java.util.Optional;

/** What a kind of target cannot do, as problems of a task that asks for it. Stateless. */
public final class TargetLimits {
  /** A session of which a wait for the clocks of a cluster leaves something. */
  private static final Duration SHORTEST_WITH_WAIT = Duration.ofSeconds(1);

  private TargetLimits() {}

  /**
   * The problem of a task with what its target cannot do; empty if it can.
   *
   * @param thing what asks for it
   * @param fix what to do instead
   */
  public static Optional<Problem> problem(
      TargetDialect target, TargetLimit limit, String thing, String fix) {
    return target.limits().contains(limit)
        ? Optional.of(
            new Problem(
                thing,
                "a target of type " + target.type() + " has no " + limit.text(),
                "a task that does without",
                fix))
        : Optional.empty();
  }

  /** Why the tables of such a target cannot be compared with the source's; empty if they can. */
  static Optional<Problem> notComparable(TargetDialect target) {
    return problem(
        target,
        TargetLimit.COMPARISONS,
        "a comparison of the task's tables",
        "Compare them by statements of your own, while nothing is written");
  }

  /** The same of the target that a task file names. */
  static Optional<Problem> notComparable(Endpoint target) {
    return notComparable(TargetServers.dialectOf(target));
  }

  /** Why differing rows of such a target cannot be corrected; empty if they can. */
  static Optional<Problem> notCorrectable(TargetDialect target) {
    return problem(
        target,
        TargetLimit.CORRECTIONS,
        "a repair or resync of the task's tables",
        "Load the tables that differ again by sluice reload TASK.yaml SCHEMA.TABLE, which deletes"
            + " all its rows first, also those that only the target has");
  }

  /** The same of the target that a task file names. */
  static Optional<Problem> notCorrectable(Endpoint target) {
    return notCorrectable(TargetServers.dialectOf(target));
  }

  /** What the settings ask of a comparison while changes are applied, and the target cannot do. */
  public static Optional<Problem> ofSettings(TargetDialect target, TaskSettings settings) {
    return ofRepairs(target, settings).or(() -> ofSnapshotAge(target, settings));
  }

  private static Optional<Problem> ofRepairs(TargetDialect target, TaskSettings settings) {
    return settings.get(SluiceSettings.VALIDATION_REPAIR) == RepairPolicy.NONE
        ? Optional.empty()
        : problem(
            target,
            TargetLimit.CORRECTIONS,
            "setting ValidationRepair " + settings.get(SluiceSettings.VALIDATION_REPAIR),
            "Set ValidationRepair to none");
  }

  /** Why sessions as short as the settings want them would compare nothing; empty if they do. */
  public static Optional<Problem> ofSnapshotAge(TargetDialect target, TaskSettings settings) {
    Duration age = settings.get(SluiceSettings.VALIDATION_SNAPSHOT_AGE);
    return age.compareTo(SHORTEST_WITH_WAIT) >= 0
        ? Optional.empty()
        : problem(
            target,
            TargetLimit.SHORT_SNAPSHOTS,
            "setting ValidationSnapshotAge of %d ms".formatted(age.toMillis()),
            "Set ValidationSnapshotAge to 1 second or more");
  }

  /**
   * Requires that the target of a task file can do something.
   *
   * @throws SluiceException.Fatal if it cannot
   */
  public static void require(Endpoint target, TargetLimit limit, String thing, String fix) {
    problem(TargetServers.dialectOf(target), limit, thing, fix)
        .ifPresent(
            problem -> {
              throw new SluiceException.Fatal(problem);
            });
  }
}
