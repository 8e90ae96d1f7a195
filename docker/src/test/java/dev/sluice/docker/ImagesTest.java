package dev.sluice.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.MountableFile;

/** The two images, made from what Maven has built, each among the servers that it needs. */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class ImagesTest {
  private static final Duration START = Duration.ofMinutes(10);
  private static final String ORDERS = "SELECT count(*), sum(id), max(state) FROM shop.orders";

  /** Java runs the native libraries that it unpacks there. */
  private static final Map<String, String> TEMPORARY = Map.of("/tmp", "rw,exec,size=128m");

  @BeforeAll
  static void requireDocker() {
    Built.assumeImagesCanBeMade();
  }

  @Test
  void theWorkerGetsHealthyAsAnOrdinaryUserAndHasBothPlugins() throws Exception {
    try (Network network = Network.newNetwork();
        GenericContainer<?> kafka = kafka(network);
        GenericContainer<?> worker =
            new GenericContainer<>(Built.worker())
                .withNetwork(network)
                .withEnv("CONNECT_BOOTSTRAP_SERVERS", "kafka:9092")
                .withEnv("CONNECT_GROUP_ID", "of-the-test")
                .withTmpFs(TEMPORARY)
                .withCreateContainerCmdModifier(ImagesTest::withoutRights)
                .withExposedPorts(8083)
                .waitingFor(Wait.forHealthcheck().withStartupTimeout(START))) {
      kafka.start();
      worker.start();
      assertThat(worker.execInContainer("id", "-u").getStdout().trim()).isEqualTo("10001");
      assertThat(get(worker, 8083, "/connector-plugins"))
          .contains("dev.sluice.connect.SluiceSinkConnector")
          .contains("io.debezium.connector.postgresql.PostgresConnector");
      assertThat(worker.getLogs()).contains("groupId=of-the-test");
      assertNothingCanBeWritten(worker, "/opt/connect");
    }
  }

  @Test
  void theDaemonCopiesFollowsAndEndsWithACheckpoint() throws Exception {
    try (Network network = Network.newNetwork();
        GenericContainer<?> source = postgres(network, "source");
        GenericContainer<?> target = postgres(network, "target");
        GenericContainer<?> daemon =
            new GenericContainer<>(Built.daemon())
                .withNetwork(network)
                .withEnv("SOURCE_PASSWORD", "secret")
                .withEnv("TARGET_PASSWORD", "secret")
                .withTmpFs(TEMPORARY)
                .withCreateContainerCmdModifier(ImagesTest::withoutRights)
                .withCreateContainerCmdModifier(ImagesTest::withTheTaskFile)
                .withExposedPorts(8080)
                .waitingFor(Wait.forHealthcheck().withStartupTimeout(START))) {
      source.start();
      target.start();
      daemon.start();
      assertThat(daemon.execInContainer("id", "-u").getStdout().trim()).isEqualTo("10001");
      Awaitility.await()
          .atMost(START)
          .untilAsserted(
              () -> assertThat(get(daemon, 8080, "/status")).contains("\"replicating\""));
      sql(source, "UPDATE shop.orders SET state = 'sent' WHERE id <= 100");
      String wanted = sql(source, ORDERS);
      Awaitility.await()
          .atMost(START)
          .untilAsserted(() -> assertThat(sql(target, ORDERS)).isEqualTo(wanted));
      assertNothingCanBeWritten(daemon, "/opt/sluice");
      assertThat(endOf(daemon)).isZero();
      assertThat(daemon.getLogs()).contains("checkpoint durable");
    }
  }

  /** A root that cannot be written, no capabilities, and no way to get any. */
  private static void withoutRights(CreateContainerCmd container) {
    container
        .getHostConfig()
        .withReadonlyRootfs(true)
        .withCapDrop(Capability.ALL)
        .withSecurityOpts(List.of("no-new-privileges"));
  }

  /** Mounted: nothing can be copied to a root that cannot be written. */
  private static void withTheTaskFile(CreateContainerCmd container) {
    Path file = Built.REPOSITORY.resolve("docker/shop/task.yaml").toAbsolutePath();
    container.getHostConfig().withBinds(Bind.parse(file + ":/etc/sluice/task.yaml:ro"));
  }

  private static void assertNothingCanBeWritten(GenericContainer<?> container, String folder)
      throws IOException, InterruptedException {
    assertThat(container.execInContainer("touch", folder + "/new").getStderr())
        .contains("Read-only file system");
    assertThat(container.execInContainer("sed", "-n", "s/^CapEff:\\t//p", "/proc/1/status"))
        .extracting(result -> result.getStdout().trim())
        .isEqualTo("0000000000000000");
  }

  private static int endOf(GenericContainer<?> container) {
    var docker = DockerClientFactory.instance().client();
    docker.stopContainerCmd(container.getContainerId()).withTimeout(60).exec();
    return docker
        .inspectContainerCmd(container.getContainerId())
        .exec()
        .getState()
        .getExitCodeLong()
        .intValue();
  }

  private static GenericContainer<?> postgres(Network network, String side) {
    return new GenericContainer<>("postgres:17")
        .withNetwork(network)
        .withNetworkAliases(side)
        .withCommand("postgres", "-c", "wal_level=logical")
        .withEnv("POSTGRES_DB", "shop")
        .withEnv("POSTGRES_PASSWORD", "secret")
        .withEnv("SLUICE_PASSWORD", "secret")
        .withCopyFileToContainer(
            MountableFile.forHostPath(Built.REPOSITORY.resolve("docker/shop/tables.sql")),
            "/shop/tables.sql")
        .withCopyFileToContainer(
            MountableFile.forHostPath(Built.REPOSITORY.resolve("docker/shop/" + side + ".sh")),
            "/docker-entrypoint-initdb.d/" + side + ".sh")
        // Once while the scripts are run, once for everybody.
        .waitingFor(
            Wait.forLogMessage(".*ready to accept connections.*", 2).withStartupTimeout(START));
  }

  private static GenericContainer<?> kafka(Network network) {
    return new GenericContainer<>("apache/kafka:4.3.1")
        .withNetwork(network)
        .withNetworkAliases("kafka")
        .withEnv(
            Map.ofEntries(
                Map.entry("KAFKA_NODE_ID", "1"),
                Map.entry("KAFKA_PROCESS_ROLES", "broker,controller"),
                Map.entry("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@kafka:9093"),
                Map.entry("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER"),
                Map.entry("KAFKA_LISTENERS", "PLAINTEXT://:9092,CONTROLLER://:9093"),
                Map.entry("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://kafka:9092"),
                Map.entry("KAFKA_INTER_BROKER_LISTENER_NAME", "PLAINTEXT"),
                Map.entry(
                    "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP",
                    "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1"),
                Map.entry("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0")))
        .waitingFor(Wait.forLogMessage(".*Kafka Server started.*", 1).withStartupTimeout(START));
  }

  private static String sql(GenericContainer<?> server, String statement)
      throws IOException, InterruptedException {
    return server
        .execInContainer("psql", "-qtA", "-U", "postgres", "-d", "shop", "-c", statement)
        .getStdout();
  }

  private static String get(GenericContainer<?> container, int port, String path)
      throws IOException, InterruptedException {
    URI page =
        URI.create("http://" + container.getHost() + ":" + container.getMappedPort(port) + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
