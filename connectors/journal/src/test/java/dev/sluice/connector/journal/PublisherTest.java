package dev.sluice.connector.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class PublisherTest {
  private static final Position START = new Position(1);

  private static final JournalTopics TOPICS = JournalTopics.ofTask("t");

  private final AnsweringProducer producer = new AnsweringProducer();
  private final Publisher publisher =
      new Publisher(producer, TOPICS, 1, START, DataSize.ofMebibytes(1));

  @Test
  void onlyTheEndOfAnAcknowledgedTransactionAdvancesTheSlot() {
    transaction(10);
    transaction(20);
    publisher.change(message());
    assertThat(publisher.takeAcknowledged()).isEmpty();
    assertThat(publisher.progress().acknowledged()).isEqualTo(START);
    producer.completeNext();
    assertThat(publisher.takeAcknowledged()).contains(new Position(10));
    assertThat(publisher.takeAcknowledged()).isEmpty();
    producer.completeNext();
    assertThat(publisher.takeAcknowledged()).contains(new Position(20));
    assertThat(publisher.progress().acknowledged()).isEqualTo(new Position(20));
  }

  @Test
  void aFailedSendBeforeAnAcknowledgedOneNeverAdvancesTheSlot() {
    transaction(10);
    transaction(20);
    producer.errorNext(new TimeoutException("lost"));
    producer.completeNext();
    assertThatThrownBy(publisher::takeAcknowledged).isInstanceOf(SluiceException.class);
    assertThat(publisher.progress().acknowledged()).isEqualTo(START);
    assertThatThrownBy(() -> transaction(30)).isInstanceOf(SluiceException.class);
  }

  @Test
  void aRecordOfAnotherWriterNeverAdvancesTheSlotOfACaptureThatIsToBeAlone() {
    AnsweringProducer shared = new AnsweringProducer();
    Publisher alone = new Publisher(shared, TOPICS, 1, START, DataSize.ofMebibytes(1), true);
    transaction(alone, 10);
    shared.completeNext();
    assertThat(alone.takeAcknowledged()).contains(new Position(10));
    anotherWrites(shared);
    transaction(alone, 20);
    shared.completeNext();
    shared.completeNext();
    assertThatThrownBy(alone::takeAcknowledged)
        .hasMessageContaining("somebody else has written to " + TOPICS.journal());
    assertThat(alone.progress().acknowledged()).isEqualTo(new Position(10));
  }

  @Test
  void aRecordOfAnotherWriterDoesNotStopACaptureWhoseTermDecides() {
    anotherWrites(producer);
    transaction(20);
    producer.completeNext();
    producer.completeNext();
    assertThat(publisher.takeAcknowledged()).contains(new Position(20));
  }

  private void transaction(long end) {
    transaction(publisher, end);
  }

  private static void transaction(Publisher publisher, long end) {
    publisher.change(message());
    publisher.commit(new Position(end), 0, 0);
  }

  private static void anotherWrites(AnsweringProducer journal) {
    journal.send(new ProducerRecord<>(TOPICS.journal(), 0, null, new byte[] {1}), null);
  }

  private static ChangeEvent message() {
    return new ChangeEvent.Message("fence", new byte[] {1});
  }

  /** Answers the term's first record at once, and the others on request. */
  private static final class AnsweringProducer extends MockProducer<byte[], byte[]> {
    private boolean began;

    AnsweringProducer() {
      super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      Future<RecordMetadata> answer = super.send(record, callback);
      if (!began) {
        began = true;
        completeNext();
      }
      return answer;
    }
  }
}
