package dev.sluice.connect.input;

import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Makes the pipeline's journal out of a connector's records. Owned by the task's thread; schemas
 * and what is read again are asked for by the apply thread as well.
 */
public interface TopicInput extends AutoCloseable {

  /**
   * Takes the next records.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal where they are not what the layout has
   */
  void take(Collection<SinkRecord> records, Instant now);

  /**
   * The journal entries that come next; none where more records must come first. What was taken at
   * once may come in several calls.
   *
   * @param reading whether records can come; not while the pipeline has no room
   */
  List<JournalEntry> next(boolean reading, Instant now);

  /**
   * Why no entries are to be asked for at present; empty where there is room. It passes by itself
   * when something becomes durable.
   */
  default Optional<String> full() {
    return Optional.empty();
  }

  /** What is to be paused since too much of it waits here. */
  default Set<TopicPartition> unwanted() {
    return Set.of();
  }

  /** Nothing below the pipeline's offset is asked for again. */
  void durable(long nextOffset);

  /** Where the partitions stand where the pipeline stands at that offset. */
  Map<TopicPartition, Long> offsetsAt(long nextOffset);

  /** The row schemas that the entries refer to. */
  SchemaLookup schemas();

  /** The same entries again, from an offset on that is not below the checkpoint's. */
  JournalRecords again();

  @Override
  void close();
}
