package dev.sluice.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.raft.DynamicVoters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A single-node Kafka (KRaft) in this process, with everything it keeps in one directory, listening
 * on loopback only. Its ports are chosen free at the first start and kept in the directory: the
 * controller's is written into the log when that is formatted. Topics set their own flushing;
 * nothing is replicated. Started and closed by one thread.
 *
 * <p>Formatter, DynamicVoters and KafkaRaftServer are Kafka's internals: this class is the only one
 * that knows them.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);

  private static final String PORTS_FILE = "ports.properties";
  private static final String BROKER_PORT = "broker.port";
  private static final String CONTROLLER_PORT = "controller.port";

  private final KafkaRaftServer server;
  private final String bootstrapServers;
  private boolean closed;

  private EmbeddedBroker(KafkaRaftServer server, String bootstrapServers) {
    this.server = server;
    this.bootstrapServers = bootstrapServers;
  }

  /**
   * Starts the broker of a directory; formats the directory where it is new.
   *
   * @param directory made where it is missing; used by one broker at a time
   * @throws IllegalStateException where it cannot start: directory not writable, ports taken
   */
  public static EmbeddedBroker start(Path directory) {
    Path logs = directory.resolve("log");
    sayWhyItHalts(logs);
    try {
      Files.createDirectories(logs);
      Properties ports = ports(directory);
      Properties settings = settings(logs, ports);
      if (!Files.exists(logs.resolve("meta.properties"))) {
        format(logs, ports.getProperty(CONTROLLER_PORT));
      }
      KafkaRaftServer server =
          new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
      try {
        server.startup();
      } catch (RuntimeException e) {
        server.shutdown();
        throw e;
      }
      String bootstrapServers = "127.0.0.1:" + ports.getProperty(BROKER_PORT);
      LOG.info("embedded Kafka listens on {}, its log is in {}", bootstrapServers, logs);
      return new EmbeddedBroker(server, bootstrapServers);
    } catch (Exception e) {
      throw new IllegalStateException(
          "the embedded Kafka of " + directory + " cannot start: " + e.getMessage(), e);
    }
  }

  /** A broker that loses its disk ends its whole process without a word; this gives it one. */
  private static void sayWhyItHalts(Path logs) {
    Exit.setHaltProcedure(
        (status, message) -> {
          LOG.error(
              "the embedded Kafka gives up, and this process with it: it cannot write its log in {},"
                  + " where {} MiB are free. Free some space and start again: what is not in the log"
                  + " is still on the source",
              logs,
              logs.toFile().getUsableSpace() / (1024 * 1024));
          Runtime.getRuntime().halt(status);
        });
  }

  public String bootstrapServers() {
    return bootstrapServers;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      server.shutdown();
      server.awaitShutdown();
    }
  }

  /**
   * The ports of the directory. A kept broker port that another process has taken meanwhile is
   * replaced; a taken controller port is an error, since the log names it.
   */
  private static Properties ports(Path directory) throws IOException {
    Path file = directory.resolve(PORTS_FILE);
    Properties ports = new Properties();
    if (Files.exists(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        ports.load(in);
      }
    }
    String controller = ports.getProperty(CONTROLLER_PORT);
    if (controller == null) {
      ports.setProperty(CONTROLLER_PORT, Integer.toString(FreePort.find()));
    } else if (!FreePort.claim(Integer.parseInt(controller))) {
      throw new IOException(
          "port "
              + controller
              + " is taken; the broker's own log expects it. End the process that listens there");
    }
    String broker = ports.getProperty(BROKER_PORT);
    if (broker == null || !FreePort.claim(Integer.parseInt(broker))) {
      ports.setProperty(BROKER_PORT, Integer.toString(FreePort.find()));
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      ports.store(out, "ports of the embedded Kafka");
    }
    return ports;
  }

  private static Properties settings(Path logs, Properties ports) {
    String broker = "127.0.0.1:" + ports.getProperty(BROKER_PORT);
    String controller = "127.0.0.1:" + ports.getProperty(CONTROLLER_PORT);
    Properties settings = new Properties();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.bootstrap.servers", controller);
    settings.put("listeners", "PLAINTEXT://" + broker + ",CONTROLLER://" + controller);
    settings.put("advertised.listeners", "PLAINTEXT://" + broker);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("inter.broker.listener.name", "PLAINTEXT");
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
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
    // After a kill the controller admits the broker again only when the killed one's session has
    // run out: Kafka's nine seconds would be a pause of the migration.
    settings.put("broker.session.timeout.ms", "3000");
    settings.put("broker.heartbeat.interval.ms", "500");
    settings.put("num.network.threads", "1");
    settings.put("num.io.threads", "2");
    settings.put("background.threads", "1");
    settings.put("log.retention.check.interval.ms", "10000");
    settings.put("log.cleaner.dedupe.buffer.size", "4194304");
    return settings;
  }

  private static void format(Path logs, String controllerPort) throws Exception {
    new Formatter()
        // It would print on the daemon's standard output.
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(logs.toString())
        .addDirectory(logs.toString())
        .setHasDynamicQuorum(true)
        .setInitialControllers(
            DynamicVoters.parse("1@127.0.0.1:" + controllerPort + ":" + Uuid.randomUuid()))
        .run();
  }
}
