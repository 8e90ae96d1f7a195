package dev.sluice.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.Counted;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Reads the daemon's status page and formats it as one line. Owned by the demo's thread. */
final class DemoStatus {
  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI page;

  DemoStatus(int port) {
    this.page = URI.create("http://127.0.0.1:" + port + "/status");
  }

  /** Reads the page; empty while the daemon does not answer. */
  Optional<JsonNode> read() throws InterruptedException {
    try {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(5)).build(),
              HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == 200
          ? Optional.of(json.readTree(response.body()))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Phase, rows loaded, throughput, backlog, latency, windows and the last window's compaction. */
  static String line(JsonNode status) {
    long loaded = 0;
    for (JsonNode table : status.path("tables")) {
      loaded += table.path("full_load_rows").asLong();
    }
    JsonNode last = status.at("/windows/last");
    String window =
        last.isObject()
            ? String.format(
                Locale.ROOT,
                "%s %,d → %,d in %,d ms",
                last.path("reason").asText(),
                last.path("changes").asLong(),
                last.path("net_changes").asLong(),
                last.path("milliseconds").asLong())
            : "";
    return String.format(
        Locale.ROOT,
        "%-11s %,d loaded | in %,.0f/s out %,.0f/s | %,d waiting | %.1f s behind | windows %,d %s",
        status.path("phase").asText(),
        loaded,
        status.at("/throughput/source_rows_per_second").asDouble(),
        status.at("/throughput/target_rows_per_second").asDouble(),
        status.at("/backlog/changes").asLong(),
        status.at("/latency/target_seconds").asDouble(),
        status.at("/windows/applied").asLong(),
        window);
  }

  /** A summary of the task's work. */
  static String summary(JsonNode status) {
    long inserts = 0;
    long updates = 0;
    long deletes = 0;
    long loaded = 0;
    for (JsonNode table : status.path("tables")) {
      inserts += table.path("applied_inserts").asLong();
      updates += table.path("applied_updates").asLong();
      deletes += table.path("applied_deletes").asLong();
      loaded += table.path("full_load_rows").asLong();
    }
    return String.format(
        Locale.ROOT,
        "  loaded %s; applied net %s, %s, %s in %s",
        Counted.of(loaded, "row"),
        Counted.of(inserts, "insert"),
        Counted.of(updates, "update"),
        Counted.of(deletes, "delete"),
        Counted.of(status.at("/windows/applied").asLong(), "window"));
  }
}
