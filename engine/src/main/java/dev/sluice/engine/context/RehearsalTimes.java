package dev.sluice.engine.context;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.status.StatusJson;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * How long a rehearsal of a cutover took, as the target stores it. Immutable.
 *
 * @param at when it ended
 * @param locking of the attempt that locked the tables
 * @param proving that the target has everything
 * @param stopped for how long writers were stopped in all
 */
public record RehearsalTimes(Instant at, Duration locking, Duration proving, Duration stopped) {

  /** The text that {@link #parse} reads. */
  public String text() {
    return StatusJson.write(
        Map.of(
            "at", at.toString(),
            "locking_ms", locking.toMillis(),
            "proving_ms", proving.toMillis(),
            "stopped_ms", stopped.toMillis()));
  }

  public static RehearsalTimes parse(String text) {
    try {
      JsonNode json = StatusJson.tree(text);
      return new RehearsalTimes(
          Instant.parse(json.path("at").asText()),
          milliseconds(json, "locking_ms"),
          milliseconds(json, "proving_ms"),
          milliseconds(json, "stopped_ms"));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the noted times are no JSON: " + text, e);
    }
  }

  private static Duration milliseconds(JsonNode json, String name) {
    return Duration.ofMillis(json.path(name).asLong());
  }
}
