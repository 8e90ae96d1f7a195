package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {

  @Test
  void recordsSurviveARestart(@TempDir Path directory) throws Exception {
    keepPorts(directory);
    String before = writeOne(directory);
    assertThat(readOne(directory)).as("the clients find it again").isEqualTo(before);
  }

  @Test
  void thePortsThatTheSystemChoseAreKept(@TempDir Path directory) throws Exception {
    String chosen;
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory)) {
      chosen = broker.bootstrapServers();
    }
    assertThat(ports(directory)).containsOnlyKeys("broker.port", "controller.port");
    assertThat(chosen).endsWith(":" + ports(directory).getProperty("broker.port"));
  }

  @Test
  void recordsSurviveARestartThatFindsThePortsTaken(@TempDir Path directory) throws Exception {
    keepPorts(directory);
    String before = writeOne(directory);
    Properties ports = ports(directory);
    try (ServerSocket broker = listenOn(ports.getProperty("broker.port"));
        ServerSocket controller = listenOn(ports.getProperty("controller.port"))) {
      assertThat(readOne(directory)).isNotEqualTo(before);
      assertThat(broker.isBound() && controller.isBound()).isTrue();
    }
  }

  @Test
  void onlyAfterAKillIsTheBrokersSessionShortForTheKilledOnesIsWaitedFor(@TempDir Path directory)
      throws Exception {
    String session = "broker.session.timeout.ms";
    assertThat(setting(directory, session)).isEqualTo("20000");
    assertThat(setting(directory, session)).as("after a clean end").isEqualTo("20000");
    Files.delete(directory.resolve("log").resolve(".kafka_cleanshutdown"));
    assertThat(setting(directory, session)).as("as after a kill").isEqualTo("3000");
  }

  @Test
  void aBrokerAtRestWritesNoEmptyRecords(@TempDir Path directory) throws Exception {
    assertThat(setting(directory, "metadata.max.idle.interval.ms")).isEqualTo("0");
  }

  private static String setting(Path directory, String name) throws Exception {
    ConfigResource settings = new ConfigResource(ConfigResource.Type.BROKER, "1");
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory);
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      return admin.describeConfigs(List.of(settings)).all().get().get(settings).get(name).value();
    }
  }

  /** Ports that no other process takes while the broker is away. */
  private static void keepPorts(Path directory) throws IOException {
    Files.writeString(
        directory.resolve("ports.properties"),
        "broker.port=%d%ncontroller.port=%d%n".formatted(FreePort.find(), FreePort.find()));
  }

  private static Properties ports(Path directory) throws IOException {
    Properties ports = new Properties();
    try (Reader file = Files.newBufferedReader(directory.resolve("ports.properties"))) {
      ports.load(file);
    }
    return ports;
  }

  private static ServerSocket listenOn(String port) throws IOException {
    return new ServerSocket(Integer.parseInt(port), 1, InetAddress.getLoopbackAddress());
  }

  private static String writeOne(Path directory) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory)) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        admin.createTopics(List.of(new NewTopic("kept", 1, (short) 1))).all().get();
      }
      try (KafkaProducer<byte[], byte[]> producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", broker.bootstrapServers(), "acks", "all"),
              new ByteArraySerializer(),
              new ByteArraySerializer())) {
        producer.send(new ProducerRecord<>("kept", bytes("one"))).get();
      }
      return broker.bootstrapServers();
    }
  }

  private static String readOne(Path directory) {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory);
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition("kept", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      var records = consumer.poll(Duration.ofMinutes(5));
      assertThat(records.records(partition))
          .singleElement()
          .extracting(r -> r.value())
          .isEqualTo(bytes("one"));
      return broker.bootstrapServers();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
