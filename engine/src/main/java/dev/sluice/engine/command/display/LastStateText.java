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
    switch (last.next()) {
      case CONTINUE -> lines.add("continue", " sluice run TASK.yaml");
      case CUT_OVER ->
          lines.add(
              "next",
              " the task is cut over: the target is the one to use. sluice run only watches the"
                  + " source; sluice stop --drop TASK.yaml removes the task");
      case REMOVED ->
          lines.add(
              "next",
              " the task is removed: there is nothing to continue. sluice run would begin a new one"
                  + " with this task file");
    }
    return lines.toString();
  }
}
