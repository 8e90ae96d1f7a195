package dev.sluice.connect.start;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Skipped;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads records. Those that cannot be read go to Connect's reporter if errors.tolerance=all. A
 * change skipped like this is missing when a transaction's events are counted. Owned by the task's
 * thread.
 */
final class ErrantRecords implements Function<SinkRecord, DebeziumRecord> {
  private static final Logger LOG = LoggerFactory.getLogger(ErrantRecords.class);

  private final Function<SinkRecord, DebeziumRecord> reader;
  private final ErrantRecordReporter reporter;

  ErrantRecords(Function<SinkRecord, DebeziumRecord> reader, ErrantRecordReporter reporter) {
    this.reader = reader;
    this.reporter = reporter;
  }

  @Override
  public DebeziumRecord apply(SinkRecord record) {
    try {
      return reader.apply(record);
    } catch (SluiceException.Fatal e) {
      report(record, e);
      LOG.warn("record skipped, as errors.tolerance=all says: {}", e.getMessage());
      return new Skipped("errant");
    }
  }

  /**
   * Reports a record and waits for the report: the checkpoint must not pass a record that is stored
   * nowhere.
   */
  private void report(SinkRecord record, SluiceException.Fatal cause) {
    try {
      reporter.report(record, cause).get();
    } catch (ExecutionException e) {
      throw new SluiceException.Retryable(
          "could not report a record that cannot be read: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("interrupted: report a record", e);
    }
  }
}
