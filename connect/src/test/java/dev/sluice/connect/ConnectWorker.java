package dev.sluice.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A distributed Kafka Connect worker, a process of its own. */
final class ConnectWorker implements AutoCloseable {
  private static final int CONFLICT = 409;
  private static final int SERVER_ERROR = 500;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofMinutes(1)).build();

  private final Process process;
  private final int port;
  private final int metricsPort;
  private final Path log;

  private ConnectWorker(Process process, int port, int metricsPort, Path log) {
    this.process = process;
    this.port = port;
    this.metricsPort = metricsPort;
    this.log = log;
  }

  /**
   * Starts a worker of the one cluster that a broker has, and waits until it answers.
   *
   * @param plugins its plugin.path
   */
  static ConnectWorker ready(EmbeddedBroker broker, Path plugins, Path directory)
      throws IOException {
    ConnectWorker started = start(broker.bootstrapServers(), FreePort.find(), plugins, directory);
    try {
      await().until(started::isReady);
      return started;
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  /** Patient, because a build machine may be busy. */
  static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(500));
  }

  private static ConnectWorker start(String servers, int port, Path plugins, Path directory)
      throws IOException {
    Path settings = directory.resolve("worker-" + port + ".properties");
    Files.writeString(
        settings,
        properties(servers, port, plugins).entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining("\n")));
    // Kept, to be read after a failure.
    Path log = Files.createDirectories(Path.of("target", "workers")).resolve(port + ".log");
    int metricsPort = FreePort.find();
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx384m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Dlogback.configurationFile=" + logback(directory),
                    "-Djava.io.tmpdir=" + directory,
                    "-Dcom.sun.management.jmxremote.port=" + metricsPort,
                    "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                    "-Djava.rmi.server.hostname=127.0.0.1",
                    "-Dcom.sun.management.jmxremote.authenticate=false",
                    "-Dcom.sun.management.jmxremote.ssl=false",
                    "-cp",
                    PluginPath.workersClassPath(),
                    "org.apache.kafka.connect.cli.ConnectDistributed",
                    settings.toString()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new ConnectWorker(process, port, metricsPort, log);
  }

  private static Map<String, String> properties(String servers, int port, Path plugins) {
    return Map.ofEntries(
        Map.entry("bootstrap.servers", servers),
        Map.entry("group.id", "connect"),
        Map.entry("key.converter", "org.apache.kafka.connect.json.JsonConverter"),
        Map.entry("value.converter", "org.apache.kafka.connect.json.JsonConverter"),
        Map.entry("offset.storage.topic", "connect-offsets"),
        Map.entry("offset.storage.replication.factor", "1"),
        Map.entry("offset.storage.partitions", "1"),
        Map.entry("config.storage.topic", "connect-configs"),
        Map.entry("config.storage.replication.factor", "1"),
        Map.entry("status.storage.topic", "connect-status"),
        Map.entry("status.storage.replication.factor", "1"),
        Map.entry("status.storage.partitions", "1"),
        Map.entry("listeners", "http://127.0.0.1:" + port),
        Map.entry("plugin.path", plugins.toString()),
        Map.entry("plugin.discovery", "service_load"),
        Map.entry("offset.flush.interval.ms", "2000"),
        Map.entry("session.timeout.ms", "10000"),
        Map.entry("heartbeat.interval.ms", "1000"),
        Map.entry("scheduled.rebalance.max.delay.ms", "0"));
  }

  private static Path logback(Path directory) throws IOException {
    Path file = directory.resolve("worker-logback.xml");
    Files.writeString(
        file,
        """
        <configuration>
          <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
            <encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder>
          </appender>
          <logger name="dev.sluice" level="info"/>
          <logger name="org.apache.kafka.connect" level="info"/>
          <logger name="io.debezium" level="info"/>
          <root level="warn"><appender-ref ref="out"/></root>
        </configuration>
        """);
    return file;
  }

  /** The answer to a request; its status is no failure here. */
  Answer ask(String method, String path, Object body) {
    try {
      HttpRequest.BodyPublisher content =
          body == null
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body));
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                  .header("Content-Type", "application/json")
                  .timeout(Duration.ofMinutes(3))
                  .method(method, content)
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      String text = answer.body();
      return new Answer(answer.statusCode(), JSON.readTree(text.isEmpty() ? "null" : text));
    } catch (IOException e) {
      return new Answer(0, JSON.getNodeFactory().textNode(e.toString()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Makes a connector, or gives one of that name this configuration; a refusal is told. */
  void make(String connector, Map<String, String> config) {
    Answer answer = order("PUT", "/connectors/" + connector + "/config", config);
    if (answer.status() / 100 != 2) {
      throw new IllegalStateException(connector + " is refused: " + answer);
    }
  }

  /**
   * As {@link #ask}; again while the cluster shares its work anew, and takes nothing, and while
   * there is no answer in time, of the worker or of the one that it asks itself.
   */
  Answer order(String method, String path, Object body) {
    Answer[] answer = new Answer[1];
    Awaitility.await()
        .atMost(Duration.ofMinutes(10))
        .untilAsserted(
            () -> {
              answer[0] = ask(method, path, body);
              assertThat(answer[0].status())
                  .as(answer[0].toString())
                  .isBetween(1, SERVER_ERROR - 1)
                  .isNotEqualTo(CONFLICT);
            });
    return answer[0];
  }

  boolean isReady() {
    if (!process.isAlive()) {
      throw new IllegalStateException("the worker ended:\n" + log());
    }
    return ask("GET", "/connectors", null).status() == 200;
  }

  /** Whether connector and task run; a failed one is told. */
  boolean isRunning(String connector) {
    Answer answer = ask("GET", "/connectors/" + connector + "/status", null);
    String text = answer.body().toString();
    if (text.contains("FAILED")) {
      throw new IllegalStateException(text.replace("\\n", "\n"));
    }
    return answer.body().path("tasks").path(0).path("state").asText().equals("RUNNING");
  }

  /** A figure of the connector's first task among the worker's metrics; empty where it has none. */
  Optional<Object> metric(String connector, String name) throws IOException, JMException {
    return metric(connector, name, Map.of());
  }

  /** The figure that has these tags too. */
  Optional<Object> metric(String connector, String name, Map<String, String> tags)
      throws IOException, JMException {
    JMXServiceURL address =
        new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + metricsPort + "/jmxrmi");
    try (JMXConnector connection = JMXConnectorFactory.connect(address)) {
      MBeanServerConnection beans = connection.getMBeanServerConnection();
      for (ObjectName bean : beans.queryNames(new ObjectName("kafka.connect:*"), null)) {
        boolean has =
            Arrays.stream(beans.getMBeanInfo(bean).getAttributes())
                .anyMatch(attribute -> attribute.getName().equals(name));
        if (has
            && connector.equals(bean.getKeyProperty("connector"))
            && bean.getKeyPropertyList().entrySet().containsAll(tags.entrySet())) {
          return Optional.of(beans.getAttribute(bean, name));
        }
      }
      return Optional.empty();
    }
  }

  /** As kill -9. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }

  /** An HTTP status, 0 where there was no answer, and the JSON that came with it. */
  record Answer(int status, JsonNode body) {}
}
