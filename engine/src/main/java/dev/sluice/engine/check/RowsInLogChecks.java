package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.task.CdcStop;
import dev.sluice.config.task.MigrationType;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.Source;
import dev.sluice.engine.context.TaskContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks tasks on a source that delivers existing rows through its log, and whose log does not
 * support fences. Stateless.
 */
final class RowsInLogChecks {
  private RowsInLogChecks() {}

  static List<Problem> problems(TaskContext context) {
    Optional<String> rows = context.source().rowsInLog();
    TaskConfig config = context.config();
    List<Problem> problems = new ArrayList<>();
    if (rows.isPresent() && !config.migrationType().captures()) {
      problems.add(
          new Problem(
              "migration-type",
              "it is %s, and the rows come with the changes: %s"
                  .formatted(config.migrationType(), rows.get()),
              "%s, or %s".formatted(MigrationType.FULL_LOAD_AND_CDC, MigrationType.CDC),
              "Write migration-type: " + MigrationType.FULL_LOAD_AND_CDC));
    }
    if (context.source().notFenced().isPresent()) {
      for (Setting<Boolean> stop :
          List.of(
              FullLoadSettings.STOP_TASK_CACHED_CHANGES_APPLIED,
              FullLoadSettings.STOP_TASK_CACHED_CHANGES_NOT_APPLIED)) {
        if (config.taskSettings().get(stop)) {
          problems.add(without(stop.name(), "Set it to false"));
        }
      }
      if (config.cdcStop().filter(stop -> !isBuilt(stop, context.source())).isPresent()) {
        problems.add(
            without(
                "cdc-stop-position",
                "Write a time of commits, "
                    + CdcStop.COMMIT_TIME
                    + "2026-01-31T12:00:00Z: the first transaction after it ends the task"));
      }
    }
    config.cdcStart().flatMap(context.source()::noStart).ifPresent(problems::add);
    return problems;
  }

  private static boolean isBuilt(CdcStop stop, Source source) {
    return stop instanceof CdcStop.AtCommitTime
        || source.findsStopAtMoment() && !(stop instanceof CdcStop.AtPosition);
  }

  private static Problem without(String thing, String fix) {
    return new Problem(
        thing,
        "it is set, and nothing tells how far this source's log was read",
        "a task that runs until it is stopped or a time is reached",
        fix);
  }
}
