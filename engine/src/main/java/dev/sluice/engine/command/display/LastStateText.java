package dev.sluice.engine.command.display;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.task.TaskHome;
import java.util.Set;

/** Formats the recorded state of a task's last daemon for a terminal. Stateless. */
public final class LastStateText {
  private static final Set<String> ENDED = Set.of("failed", "stopped");

  private LastStateText() {}

  public static String of(TaskHome home, JsonNode last) {
    StatusLines lines = new StatusLines();
    lines.add("task", "%s: no daemon runs on %s", home.task(), home.dataDir());
    lines.add(
        "last state",
        " %s since %s: %s",
        last.path("phase").asText(),
        last.path("since").asText(),
        last.path("reason").asText());
    if (last.path("problem").isTextual()) {
      lines.add("problem", "%s", last.path("problem").asText());
    }
    lines.add(
        "positions",
        " source %s, target %s, known at %s",
        last.path("source_position").asText("-"),
        last.path("target_position").asText("-"),
        last.path("at").asText());
    if (!ENDED.contains(last.path("phase").asText())) {
      lines.add("", " it ended without recording a reason: it was killed, or its machine stopped");
    }
    lines.add("continue", " sluice run TASK.yaml");
    return lines.toString();
  }
}
