package dev.sluice.embedded;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import kafka.server.StandardFaultHandlerFactory;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.raft.DynamicVoters;
import org.apache.kafka.raft.QuorumConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * A single-node Kafka (KRaft) in this process, with all its files in one directory. It listens on
 * loopback only, on ports from {@link BrokerSockets}; {@link BrokerAccess} defines who may connect.
 * Topics set their own flushing; nothing is replicated. Started and closed by one thread.
 *
 * <p>Formatter, DynamicVoters and the servers are Kafka's internals, used here as in
 * KafkaRaftServer, which does not accept sockets. Only this package uses them.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);

  private static final String BROKER = "BROKER";
  private static final String CONTROLLER = "CONTROLLER";

  /** File that Kafka creates after a clean shutdown, and deletes at the next start. */
  private static final String CLEAN_SHUTDOWN = ".kafka_cleanshutdown";

  /**
   * How long the broker may pause on a busy machine before the controller considers it lost and
   * creates no topics.
   */
  private static final Duration SESSION = Duration.ofSeconds(20);

  /**
   * Session timeout after a kill. The controller admits the broker again only after the killed
   * one's session has expired; Kafka's 9 s would delay the migration.
   */
  private static final Duration SESSION_AFTER_KILL = Duration.ofSeconds(3);

  /** Of a broker whose start somebody waits for. */
  private static final Duration HEARTBEAT = Duration.ofMillis(250);

  private final ControllerServer controller;
  private final BrokerServer broker;
  private final BrokerSockets sockets;
  private final BrokerAccess access;
  private boolean closed;

  private EmbeddedBroker(
      ControllerServer controller,
      BrokerServer broker,
      BrokerSockets sockets,
      BrokerAccess access) {
    this.controller = controller;
    this.broker = broker;
    this.sockets = sockets;
    this.access = access;
  }

  /** The folder in which a broker of this directory stores its topics. */
  public static Path logs(Path directory) {
    return directory.resolve("log");
  }

  /** Starts a broker that serves every process of this machine: for sandboxes and tests. */
  public static EmbeddedBroker start(Path directory) {
    return start(directory, BrokerAccess.open());
  }

  /**
   * Starts the broker of a directory; formats the directory if it is new.
   *
   * @param directory created if it is missing; used by one broker at a time
   * @throws IllegalStateException if it cannot start: directory not writable, log not readable
   */
  public static EmbeddedBroker start(Path directory, BrokerAccess access) {
    return start(directory, access, HEARTBEAT);
  }

  /**
   * The same with another time between the broker's reports to its controller. A start waits for
   * the second one; afterwards they are most of what a broker at rest costs.
   */
  public static EmbeddedBroker start(Path directory, BrokerAccess access, Duration heartbeat) {
    Path logs = logs(directory);
    sayWhyItHalts(logs);
    try {
      Files.createDirectories(logs);
      BrokerSockets sockets = BrokerSockets.open(directory, BROKER, CONTROLLER);
      EmbeddedBroker started;
      try {
        started = assemble(logs, sockets, access, heartbeat);
      } catch (Exception e) {
        sockets.close();
        throw e;
      }
      try {
        started.controller.startup();
        started.broker.startup();
      } catch (RuntimeException e) {
        started.close();
        throw e;
      }
      LOG.info("embedded Kafka listens on {}, its log is in {}", started.bootstrapServers(), logs);
      return started;
    } catch (Exception e) {
      throw new IllegalStateException(
          "the embedded Kafka of " + directory + " cannot start: " + e.getMessage(), e);
    }
  }

  private static EmbeddedBroker assemble(
      Path logs, BrokerSockets sockets, BrokerAccess access, Duration heartbeat) throws Exception {
    KafkaConfig config = KafkaConfig.fromProps(settings(logs, sockets, access, heartbeat), false);
    if (!isFormatted(logs)) {
      format(logs, sockets.port(CONTROLLER));
    }
    Tuple2<MetaPropertiesEnsemble, BootstrapMetadata> kept =
        KafkaRaftServer.initializeLogDirs(config, LOG, "");
    SharedServer shared =
        new SharedServer(
            config,
            kept._1(),
            Time.SYSTEM,
            Server.initializeMetrics(config, Time.SYSTEM, kept._1().clusterId().orElseThrow()),
            CompletableFuture.completedFuture(Map.of()),
            QuorumConfig.parseBootstrapServers(config.quorumConfig().bootstrapServers()),
            new StandardFaultHandlerFactory(),
            sockets);
    return new EmbeddedBroker(
        new ControllerServer(shared, KafkaRaftServer.configSchema(), kept._2()),
        new BrokerServer(shared),
        sockets,
        access);
  }

  /** Logs the reason before the broker, after a fatal error, halts the whole process. */
  private static void sayWhyItHalts(Path logs) {
    Exit.setHaltProcedure(
        (status, message) -> {
          LOG.error(
              "the embedded Kafka halts, and this process with it, after the error above; its log"
                  + " is in {}, where {} MiB are free. A full or broken disk is the usual cause:"
                  + " free some space and start again. What is not in the log is still on the"
                  + " source",
              logs,
              logs.toFile().getUsableSpace() / (1024 * 1024));
          Runtime.getRuntime().halt(status);
        });
  }

  public String bootstrapServers() {
    return "127.0.0.1:" + sockets.port(BROKER);
  }

  /** The address of the controller, whose only client is this broker. */
  String controllerAddress() {
    return "127.0.0.1:" + sockets.port(CONTROLLER);
  }

  /** The client properties of the owner: the address, and the secret if it has one. */
  public Map<String, Object> client() {
    Map<String, Object> client = new HashMap<>(access.client());
    client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
    // Nobody subscribes to the clients' metrics here, and each client would ask for that.
    client.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    return Map.copyOf(client);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      // The broker first: it sends its last state to the controller.
      broker.shutdown();
      controller.shutdown();
      broker.awaitShutdown();
      controller.awaitShutdown();
      sockets.close();
    }
  }

  private static Properties settings(
      Path logs, BrokerSockets sockets, BrokerAccess access, Duration heartbeat) {
    String broker = BROKER + "://127.0.0.1:" + sockets.port(BROKER);
    String controller = "127.0.0.1:" + sockets.port(CONTROLLER);
    Properties settings = new Properties();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.bootstrap.servers", controller);
    settings.put("listeners", broker + "," + CONTROLLER + "://" + controller);
    settings.put("advertised.listeners", broker);
    settings.put("controller.listener.names", CONTROLLER);
    settings.put("inter.broker.listener.name", BROKER);
    settings.put(
        "listener.security.protocol.map",
        "%s:%s,%s:%s".formatted(BROKER, access.protocol(), CONTROLLER, access.protocol()));
    settings.putAll(access.broker());
    settings.put("log.dirs", logs.toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("min.insync.replicas", "1");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("transaction.state.log.num.partitions", "1");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put(
        "broker.session.timeout.ms",
        Long.toString((wasKilled(logs) ? SESSION_AFTER_KILL : SESSION).toMillis()));
    settings.put("broker.heartbeat.interval.ms", Long.toString(heartbeat.toMillis()));
    // Kafka writes an empty record to its metadata twice a second, so that nodes that lag are seen.
    // Here there is one node, and the writes are a third of what a broker at rest costs.
    settings.put("metadata.max.idle.interval.ms", "0");
    // On a busy machine Kafka's one minute may be too short.
    settings.put("initial.broker.registration.timeout.ms", "300000");
    settings.put("num.network.threads", "1");
    settings.put("num.io.threads", "2");
    settings.put("background.threads", "1");
    // Deletes what is due soon after a start, so that a full journal gets room.
    settings.put("log.initial.task.delay.ms", "5000");
    settings.put("log.retention.check.interval.ms", "5000");
    settings.put("log.cleaner.dedupe.buffer.size", "4194304");
    return settings;
  }

  private static boolean wasKilled(Path logs) {
    return isFormatted(logs) && !Files.exists(logs.resolve(CLEAN_SHUTDOWN));
  }

  private static boolean isFormatted(Path logs) {
    return Files.exists(logs.resolve("meta.properties"));
  }

  private static void format(Path logs, int controllerPort) throws Exception {
    new Formatter()
        // Otherwise it prints on the daemon's standard output.
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .setControllerListenerName(CONTROLLER)
        .setMetadataLogDirectory(logs.toString())
        .addDirectory(logs.toString())
        .setHasDynamicQuorum(true)
        .setInitialControllers(
            DynamicVoters.parse("1@127.0.0.1:" + controllerPort + ":" + Uuid.randomUuid()))
        .run();
  }
}
