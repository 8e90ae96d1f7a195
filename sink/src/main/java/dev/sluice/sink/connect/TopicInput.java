package dev.sluice.sink.connect;

import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Makes the pipeline's journal out of a connector's records. Owned by the task's thread; schemas
 * and what is read again are asked for by the apply thread as well.
 */
interface TopicInput extends AutoCloseable {

  /**
   * The journal entries that the next records give.
   *
   * @throws dev.sluice.config.SluiceException.Fatal where they are not what the layout has
   */
  List<JournalEntry> entries(Collection<SinkRecord> records);

  /** Nothing below the offset is asked for again. */
  default void durable(long offset) {}

  /** The row schemas that the entries refer to. */
  SchemaLookup schemas();

  /** The same entries again, from an offset on that is not below the checkpoint's. */
  JournalRecords again();

  @Override
  void close();
}
