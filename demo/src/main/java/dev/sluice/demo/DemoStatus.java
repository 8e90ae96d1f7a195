package dev.sluice.demo;

import dev.sluice.config.Counted;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TableStatus;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.engine.status.WindowsStatus;
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
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI page;

  DemoStatus(int port) {
    this.page = URI.create("http://127.0.0.1:" + port + "/status");
  }

  /** Reads the page; empty while the daemon does not answer. */
  Optional<TaskStatus> read() throws InterruptedException {
    try {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(5)).build(),
              HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == 200
          ? Optional.of(StatusJson.read(response.body(), TaskStatus.class))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Phase, rows loaded, throughput, backlog, latency, windows and the last window's compaction. */
  static String line(TaskStatus status) {
    long loaded = status.tables().stream().mapToLong(TableStatus::fullLoadRows).sum();
    WindowsStatus.Last last = status.windows().last();
    String window =
        last != null
            ? String.format(
                Locale.ROOT,
                "%s %,d -> %,d in %,d ms",
                last.reason(),
                last.changes(),
                last.netChanges(),
                last.milliseconds())
            : "";
    Double seconds = status.latency().targetSeconds();
    String behind = seconds == null ? "-" : String.format(Locale.ROOT, "%.1f s", seconds);
    return String.format(
        Locale.ROOT,
        "%-11s %,d loaded | in %,.0f/s out %,.0f/s | %,d waiting | %s behind | windows %,d %s",
        status.phase(),
        loaded,
        status.throughput().sourceRowsPerSecond(),
        status.throughput().targetRowsPerSecond(),
        status.backlog().changes(),
        behind,
        status.windows().applied(),
        window);
  }

  /** A summary of the task's work. */
  static String summary(TaskStatus status) {
    long inserts = 0;
    long updates = 0;
    long deletes = 0;
    long loaded = 0;
    for (TableStatus table : status.tables()) {
      inserts += table.appliedInserts();
      updates += table.appliedUpdates();
      deletes += table.appliedDeletes();
      loaded += table.fullLoadRows();
    }
    return String.format(
        Locale.ROOT,
        "  loaded %s; applied net %s, %s, %s in %s",
        Counted.of(loaded, "row"),
        Counted.of(inserts, "insert"),
        Counted.of(updates, "update"),
        Counted.of(deletes, "delete"),
        Counted.of(status.windows().applied(), "window"));
  }
}
