package dev.sluice.sink.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.embedded.EmbeddedBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SchemaTopicTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static Map<String, Object> kafka;
  private static KafkaProducer<byte[], byte[]> producer;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(directory);
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    ByteArraySerializer bytes = new ByteArraySerializer();
    producer = new KafkaProducer<>(kafka, bytes, bytes);
  }

  @AfterAll
  static void stop() {
    producer.close();
    broker.close();
  }

  @Test
  void schemasAreFoundAlsoWhenTheyComeLaterThanTheReader() throws Exception {
    create("later");
    RowSchema first = schema(1);
    RowSchema second = schema(2);
    write("later", first);
    try (SchemaTopic topic = new SchemaTopic(kafka, "later", PATIENCE)) {
      assertThat(topic.schema(first.fingerprint())).isEqualTo(first);
      write("later", second);
      write("later", first);
      assertThat(topic.schema(second.fingerprint())).isEqualTo(second);
      assertThat(topic.schema(first.fingerprint())).isEqualTo(first);
    }
  }

  @Test
  void eachOfManySchemasIsFoundByItsFingerprint() throws Exception {
    create("many");
    List<RowSchema> schemas =
        IntStream.rangeClosed(1, 50).mapToObj(SchemaTopicTest::schema).toList();
    for (RowSchema schema : schemas) {
      write("many", schema);
    }
    try (SchemaTopic topic = new SchemaTopic(kafka, "many", PATIENCE)) {
      for (RowSchema schema : schemas) {
        assertThat(topic.schema(schema.fingerprint())).isEqualTo(schema);
      }
    }
  }

  @Test
  void aSchemaThatNobodyJournaledIsNamed() throws Exception {
    create("without");
    try (SchemaTopic topic = new SchemaTopic(kafka, "without", Duration.ofMillis(300))) {
      assertThatThrownBy(() -> topic.schema(0xABCL))
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContaining("0000000000000abc")
          .hasMessageContaining("without");
    }
  }

  @Test
  void anUnreachableTopicIsNotReportedAsATopicWithoutTheSchema() {
    Map<String, Object> away = Map.of("bootstrap.servers", "127.0.0.1:1");
    try (SchemaTopic topic = new SchemaTopic(away, "away", Duration.ofMillis(300))) {
      assertThatThrownBy(() -> topic.schema(0xABCL))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("the schema topic away cannot be read");
    }
  }

  private static void create(String topic) throws Exception {
    try (Admin admin = Admin.create(kafka)) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    }
  }

  private static void write(String topic, RowSchema schema) throws Exception {
    byte[] key = Long.toHexString(schema.fingerprint()).getBytes(StandardCharsets.US_ASCII);
    producer.send(new ProducerRecord<>(topic, key, SchemaCodec.encode(schema))).get();
  }

  private static RowSchema schema(int number) {
    return new RowSchema(
        new TableId("shop", "table " + number), List.of(new Column("id", "integer", false, true)));
  }
}
