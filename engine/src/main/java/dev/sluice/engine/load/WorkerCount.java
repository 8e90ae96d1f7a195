package dev.sluice.engine.load;

import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.WorkerAdvice;
import dev.sluice.sink.target.TargetServer;
import java.util.Optional;

/** Decides how many workers load tables at the same time. Stateless. */
final class WorkerCount {
  private WorkerCount() {}

  /**
   * The number in the task file, or, if it has none, the number that suits the target; at most one
   * for each segment.
   */
  static int of(TaskSettings settings, TargetServer target, int segments) {
    int most = settings.get(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS);
    if (segments > 1 && !isGiven(settings)) {
      most = LoadDialects.of(target.dialect()).usualWorkers(target).orElse(most);
    }
    return Math.max(1, Math.min(most, segments));
  }

  /** The advice that changes the number while the load runs; none if the task file has a number. */
  static Optional<WorkerAdvice> advice(TaskSettings settings, TargetServer target, int workers) {
    return workers > 1 && !isGiven(settings)
        ? LoadDialects.of(target.dialect()).workerAdvice(target, workers)
        : Optional.empty();
  }

  private static boolean isGiven(TaskSettings settings) {
    return settings.gives(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS.path());
  }
}
