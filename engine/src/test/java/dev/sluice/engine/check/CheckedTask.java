package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import java.util.List;

/** What {@code check} says of a task. Stateless. */
public final class CheckedTask {
  private CheckedTask() {}

  public static List<String> problems(TaskConfig config) {
    return TaskChecks.of(config).findings().problems().stream().map(Problem::toString).toList();
  }
}
