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
 * Creates the pipeline's journal entries from a connector's records. Owned by the task's thread;
 * the apply thread also calls {@link #schemas} and {@link #again}.
 */
public interface TopicInput extends AutoCloseable {

  /**
   * Takes the next records.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal if they do not match the layout
   */
  void take(Collection<SinkRecord> records, Instant now);

  /**
   * The next journal entries; empty if more records are needed first. Records of one call of {@code
   * take} may be returned by several calls.
   *
   * @param reading true if records can come; false while the pipeline has no room
   */
  List<JournalEntry> next(boolean reading, Instant now);

  /**
   * Why no entries may be requested at present; empty if there is room. Room comes when entries
   * become durable.
   */
  default Optional<String> full() {
    return Optional.empty();
  }

  /** The partitions to pause because too many of their records wait here. */
  default Set<TopicPartition> unwanted() {
    return Set.of();
  }

  /** Frees entries below the pipeline's offset: they are not needed again. */
  void durable(long nextOffset);

  /** The partitions' offsets that belong to an offset of the pipeline. */
  Map<TopicPartition, Long> offsetsAt(long nextOffset);

  /** The row schemas that the entries refer to. */
  SchemaLookup schemas();

  /** Reads the same entries again, from an offset that is not below the checkpoint's. */
  JournalRecords again();

  @Override
  void close();
}
