package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.embedded.FreePort;
import dev.sluice.monitoring.PrometheusProgram;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A Prometheus of the machine, which scrapes one daemon every second and evaluates rules as often.
 */
final class PrometheusProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Long, since only a failure reaches it. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Process process;
  private final Path output;
  private final int port;

  private PrometheusProcess(Process process, Path output, int port) {
    this.process = process;
    this.output = output;
    this.port = port;
  }

  /**
   * Starts it.
   *
   * @param daemon the address at which the daemon answers
   * @param rules a file in the folder
   */
  static PrometheusProcess start(Path folder, String daemon, Path rules) throws Exception {
    Path configuration =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            """
            global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
            rule_files: [%s]
            scrape_configs:
              - job_name: sluice
                static_configs: [{targets: ['%s']}]
            """
                .formatted(rules.getFileName(), daemon));
    int port = FreePort.find();
    Path output = folder.resolve("prometheus.out");
    Process process =
        new ProcessBuilder(
                PrometheusProgram.required("prometheus").toString(),
                "--config.file=" + configuration,
                "--storage.tsdb.path=" + folder.resolve("prometheus"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    PrometheusProcess started = new PrometheusProcess(process, output, port);
    started.awaitAnswer("count_over_time(up{job=\"sluice\"}[1h]) > 3");
    return started;
  }

  void awaitAnswer(String query) {
    awaitAnswers(List.of(query));
  }

  /** Waits until each of the queries has a result. */
  void awaitAnswers(Collection<String> queries) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(
            () -> {
              if (!process.isAlive()) {
                throw new IllegalStateException("Prometheus ended: " + Files.readString(output));
              }
              List<String> missing = new ArrayList<>();
              for (String query : queries) {
                if (!has(query)) {
                  missing.add(query);
                }
              }
              assertThat(missing).as("queries without a result").isEmpty();
            });
  }

  void awaitFiring(String alert) {
    awaitAnswer("ALERTS{alertname=\"" + alert + "\",alertstate=\"firing\"}");
  }

  /** Waits until no series of it is there any more. */
  void awaitOver(String alert) {
    awaitAnswer("absent(ALERTS{alertname=\"" + alert + "\"})");
  }

  /** Whether an alert was pending or firing since the start. */
  boolean wasActive(String alert) throws IOException, InterruptedException {
    return has("count_over_time(ALERTS{alertname=\"" + alert + "\"}[1d])");
  }

  /** Whether a query has a result. */
  boolean has(String query) throws IOException, InterruptedException {
    JsonNode answer =
        get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    if (!answer.path("status").asText().equals("success")) {
      throw new IllegalStateException(query + ": " + answer);
    }
    return !answer.at("/data/result").isEmpty();
  }

  /** The rules, with the result of their last evaluation. */
  JsonNode rules() throws IOException, InterruptedException {
    return get("/api/v1/rules").at("/data/groups/0/rules");
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return JSON.readTree(
        CLIENT
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                    .timeout(Duration.ofMinutes(2))
                    .build(),
                HttpResponse.BodyHandlers.ofString())
            .body());
  }

  /** Kills it, and waits: its files are deleted next. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
