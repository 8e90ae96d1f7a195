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
   * As many as the task file says, or as suit the target if it says nothing; no more than segments.
   */
  static int of(TaskSettings settings, TargetServer target, int segments) {
    int most = settings.get(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS);
    if (segments > 1 && !isGiven(settings)) {
      most = LoadDialects.of(target.dialect()).usualWorkers(target).orElse(most);
    }
    return Math.max(1, Math.min(most, segments));
  }

  /** What may lower the number while the load runs; nothing does if the task file names one. */
  static Optional<WorkerAdvice> advice(TaskSettings settings, TargetServer target, int workers) {
    return workers > 1 && !isGiven(settings)
        ? LoadDialects.of(target.dialect()).workerAdvice(target, workers)
        : Optional.empty();
  }

  private static boolean isGiven(TaskSettings settings) {
    return settings.gives(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS.path());
  }
}
