package dev.sluice.engine.command.display;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.progress.ProgressScreen;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Shows a full load from the status pages of its daemon. Used by a command's thread. */
public final class LoadWatch {
  /** Phases in which a load may still come, or is not measured yet. */
  private static final Set<String> BEFORE_A_LOAD =
      Set.of("starting", "checking", "preparing", "full-load");

  private final ProgressScreen screen;
  private String phase = "";
  private boolean done;

  public LoadWatch(ProgressScreen screen) {
    this.screen = screen;
  }

  /** Shows a status page; returns whether the load is still to come or running. */
  public boolean show(Instant now, JsonNode status) {
    if (!phase.equals(status.path("phase").asText())) {
      phase = status.path("phase").asText();
      screen.print("%s: %s".formatted(phase, status.path("reason").asText()));
    }
    JsonNode load = status.path("full_load");
    done =
        load.isObject()
            ? load.path("state").asText().equals("done")
            : !BEFORE_A_LOAD.contains(phase);
    if (load.isObject()) {
      List<ProgressItem> tables = new ArrayList<>();
      for (JsonNode table : status.path("tables")) {
        if (table.path("full_load").isObject()) {
          tables.add(item(table.path("full_load")));
        }
      }
      if (done) {
        screen.end(item(load), tables);
      } else {
        screen.show(now, item(load), tables);
      }
    }
    return !done;
  }

  /** Whether the load was done on the last page shown. */
  public boolean isDone() {
    return done;
  }

  public String phase() {
    return phase;
  }

  /** The progress of one table, or of all, from a status page. */
  static ProgressItem item(JsonNode load) {
    JsonNode expected = load.path("expected_rows");
    JsonNode left = load.path("seconds_left");
    return new ProgressItem(
        load.path("name").asText(),
        load.path("state").asText(),
        Math.min(1, load.path("percent").asDouble() / 100),
        load.path("rows").asLong(),
        expected.isNumber() ? OptionalLong.of(expected.asLong()) : OptionalLong.empty(),
        load.path("bytes").asLong(),
        load.path("rows_per_second").asDouble(),
        load.path("bytes_per_second").asDouble(),
        left.isNumber() ? Optional.of(Duration.ofSeconds(left.asLong())) : Optional.empty());
  }
}
