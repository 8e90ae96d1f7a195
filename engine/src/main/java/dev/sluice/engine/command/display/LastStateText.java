package dev.sluice.engine.command.display;

import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.status.LastState;
import java.util.Objects;
import java.util.Set;

/** Formats the recorded state of a task's last daemon for a terminal. Stateless. */
public final class LastStateText {
  private static final Set<String> ENDED = Set.of("failed", "stopped");

  private LastStateText() {}

  public static String of(TaskHome home, LastState last) {
    StatusLines lines = new StatusLines();
    lines.add("task", "%s: no daemon runs on %s", home.task(), home.dataDir());
    lines.add("last state", " %s since %s: %s", last.phase(), last.since(), last.reason());
    if (last.problem() != null) {
      lines.add("problem", "%s", last.problem());
    }
    lines.add(
        "positions",
        " source %s, target %s, known at %s",
        Objects.requireNonNullElse(last.sourcePosition(), "-"),
        Objects.requireNonNullElse(last.targetPosition(), "-"),
        last.at());
    if (!ENDED.contains(last.phase())) {
      lines.add("", " it ended without recording a reason: it was killed, or its machine stopped");
    }
    lines.add("continue", " sluice run TASK.yaml");
    return lines.toString();
  }
}
