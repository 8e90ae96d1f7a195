package dev.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.connector.journal.Journal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalUpkeepTest {

  @Test
  void theRecordThatEndsTheLastAppliedTransactionStaysWithItsBookmark(@TempDir Path directory) {
    JournalTopics topics = JournalTopics.ofTask("upkeep");
    try (JournalBroker broker = JournalBroker.open(Optional.empty(), directory);
        Journal journal = new Journal(broker.client(), topics);
        JournalUpkeep upkeep = JournalUpkeep.of(broker, topics).orElseThrow()) {
      journal.create();
      send(broker, topics);
      long nextOffset = journal.endOffset();
      upkeep.deleteBefore(nextOffset);
      assertThat(journal.bookmarkOf(1, 2)).contains("after 2");
      assertThat(journal.bookmarkOf(1, 1)).isEmpty();
    }
  }

  /** Two transactions of which all is applied. */
  private static void send(JournalBroker broker, JournalTopics topics) {
    List<byte[]> records = new ArrayList<>();
    records.add(new JournalRecord.TermStart(1, Position.ZERO).encode());
    TransactionEncoder encoder = new TransactionEncoder(1, 1000, records::add);
    for (long position = 1; position <= 2; position++) {
      encoder.begin();
      encoder.end(new Position(position), 0, 0, "after " + position);
    }
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            broker.client(), new ByteArraySerializer(), new ByteArraySerializer())) {
      records.forEach(record -> producer.send(new ProducerRecord<>(topics.journal(), record)));
      producer.flush();
    }
  }
}
