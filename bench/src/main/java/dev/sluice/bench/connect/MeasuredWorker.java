package dev.sluice.bench.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.bench.server.ChildProcess;
import dev.sluice.bench.server.Waiting;
import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A distributed Kafka Connect worker in its own process, and its REST interface. Ended by {@code
 * close}, or when this process ends. Owned by one thread.
 */
public final class MeasuredWorker implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration REQUEST = Duration.ofSeconds(90);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final ChildProcess process;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();

  private MeasuredWorker(ChildProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts it and waits until it answers.
   *
   * @param servers of the broker, whose only cluster it is of
   * @param folder for its settings, plugins and output; its own
   * @param heap in megabytes
   */
  public static MeasuredWorker start(String servers, Path folder, int heap)
      throws IOException, SQLException, InterruptedException {
    int port = FreePort.find();
    Path settings = folder.resolve("worker.properties");
    Map<String, String> properties = properties(servers, port, ConnectPlugins.pathIn(folder));
    Files.writeString(
        settings,
        properties.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
            .collect(Collectors.joining()));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heap + "m",
            "-XX:+UseParallelGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dlogback.configurationFile=" + logging(folder),
            "-Djava.io.tmpdir=" + folder,
            "-cp",
            ConnectPlugins.classPath(),
            "org.apache.kafka.connect.cli.ConnectDistributed",
            settings.toString());
    MeasuredWorker worker =
        new MeasuredWorker(
            ChildProcess.start("worker", command, folder.resolve("worker.out"), STOP_TIMEOUT),
            port);
    try {
      Waiting.until(
          "the worker to answer",
          START_TIMEOUT,
          () -> worker.ask("GET", "/health", Map.of()).filter(Answer::isGood).isPresent());
    } catch (IllegalStateException e) {
      worker.close();
      throw new IllegalStateException(e.getMessage() + worker.process.lastLines(), e);
    }
    return worker;
  }

  private static Map<String, String> properties(String servers, int port, Path plugins) {
    Map<String, String> properties = new TreeMap<>();
    properties.put("bootstrap.servers", servers);
    properties.put("group.id", "connect");
    properties.put("listeners", "http://127.0.0.1:" + port);
    properties.put("key.converter", "org.apache.kafka.connect.json.JsonConverter");
    properties.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    for (String topic : List.of("config", "offset", "status")) {
      properties.put(topic + ".storage.topic", "connect-" + topic);
      properties.put(topic + ".storage.replication.factor", "1");
    }
    properties.put("offset.storage.partitions", "1");
    properties.put("status.storage.partitions", "1");
    // Committed offsets show when a sink is done.
    properties.put("offset.flush.interval.ms", "200");
    properties.put("scheduled.rebalance.max.delay.ms", "0");
    properties.put("plugin.path", plugins.toString());
    properties.put("plugin.discovery", "service_load");
    return properties;
  }

  private static Path logging(Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("worker-logback.xml"),
        """
        <configuration>
          <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
            <encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder>
          </appender>
          <root level="warn"><appender-ref ref="out"/></root>
        </configuration>
        """);
  }

  /** The process's id. */
  public long pid() {
    return process.pid();
  }

  /**
   * Makes a connector.
   *
   * @throws IllegalStateException where the worker refuses it, with the reason
   */
  public void make(String name, Map<String, String> config)
      throws SQLException, InterruptedException {
    // A worker that rebalances answers with a conflict.
    Waiting.until(
        "the worker to make the connector " + name,
        START_TIMEOUT,
        () -> {
          Optional<Answer> answer = ask("PUT", "/connectors/" + name + "/config", config);
          if (answer.isPresent() && answer.get().status() == 400) {
            throw new IllegalStateException(name + " is refused: " + answer.get().body());
          }
          return answer.filter(Answer::isGood).isPresent();
        });
  }

  /** Deletes a connector, and waits until the worker has no task of it. */
  public void delete(String name) throws SQLException, InterruptedException {
    Waiting.until(
        "the worker to delete the connector " + name,
        START_TIMEOUT,
        () ->
            ask("DELETE", "/connectors/" + name, Map.of())
                .filter(answer -> answer.status() == 404)
                .isPresent());
  }

  /** Why the connector or one of its tasks has failed; empty where none has. */
  public Optional<String> failure(String connector) throws InterruptedException {
    process.requireAlive();
    Optional<Answer> answer = ask("GET", "/connectors/" + connector + "/status", Map.of());
    if (answer.isEmpty()) {
      return Optional.empty();
    }
    JsonNode status = answer.get().body();
    if (status.path("connector").path("state").asText().equals("FAILED")) {
      return Optional.of(status.path("connector").path("trace").asText());
    }
    for (JsonNode task : status.path("tasks")) {
      if (task.path("state").asText().equals("FAILED")) {
        return Optional.of(task.path("trace").asText());
      }
    }
    return Optional.empty();
  }

  /** Empty while it does not answer. */
  private Optional<Answer> ask(String method, String path, Map<String, String> body)
      throws InterruptedException {
    process.requireAlive();
    try {
      HttpRequest.BodyPublisher content =
          body.isEmpty()
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body));
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                  .header("Content-Type", "application/json")
                  .timeout(REQUEST)
                  .method(method, content)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      String text = answer.body().isEmpty() ? "null" : answer.body();
      return Optional.of(new Answer(answer.statusCode(), JSON.readTree(text)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    process.close();
  }

  private record Answer(int status, JsonNode body) {
    boolean isGood() {
      return status / 100 == 2;
    }
  }
}
