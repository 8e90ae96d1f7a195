package dev.sluice.sink.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalRereaderTest {
  private static final String TOPIC = "journal";

  @TempDir Path folder;

  @Test
  void existingRecordsAreReadEvenIfNoMoreWillComeAndThenTheReadingEnds() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder)) {
      Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (Admin admin = Admin.create(kafka)) {
        admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
      }
      send(kafka, "first");
      AtomicInteger asked = new AtomicInteger();
      JournalRereader journal =
          new JournalRereader(kafka, TOPIC, () -> asked.incrementAndGet() > 0);

      try (JournalRecords.Reading reading = journal.open(0)) {
        assertThat(new String(reading.next().value())).isEqualTo("first");
        assertThatThrownBy(reading::next)
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("the wait for the next record was ended");
      }
      assertThat(asked).hasPositiveValue();

      // As long as there is hope, it waits.
      asked.set(Integer.MIN_VALUE);
      try (JournalRecords.Reading reading = journal.open(0)) {
        reading.next();
        send(kafka, "second");
        assertThat(new String(reading.next().value())).isEqualTo("second");
      }
    }
  }

  private static void send(Map<String, Object> kafka, String text) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(TOPIC, text.getBytes())).get();
    }
  }
}
