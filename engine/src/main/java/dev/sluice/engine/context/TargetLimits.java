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

/**
 * Makes the problems of a task that needs a feature which its kind of target does not have.
 * Stateless.
 */
public final class TargetLimits {
  /** The shortest session in which time is left after the wait for a cluster's clocks. */
  private static final Duration SHORTEST_WITH_WAIT = Duration.ofSeconds(1);

  private TargetLimits() {}

  /**
   * The problem that the target lacks a feature; empty if it has it.
   *
   * @param thing the setting or part of the task that needs it
   * @param fix what to do instead
   */
  public static Optional<Problem> problem(
      TargetDialect target, TargetLimit limit, String thing, String fix) {
    return target.limits().contains(limit)
        ? Optional.of(
            new Problem(
                thing,
                "a target of type " + target.type() + " has no " + limit.text(),
                "a task that does not need it",
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

  /**
   * The problem of settings for comparisons that the target cannot fulfil while changes are
   * applied.
   */
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

  /** Why sessions as short as the settings say could compare nothing; empty if they can. */
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
