package dev.sluice.connector.debezium;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a Debezium task on a thread of its own: starts it, polls it for failures, stops it. It
 * has no stored offsets, since only the slot stores the position in the source's log.
 */
final class DebeziumTask {
  private static final Logger LOG = LoggerFactory.getLogger(DebeziumTask.class);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final LogReader reader;
  private final Map<String, String> properties;
  private final Consumer<Throwable> ended;
  private final Thread thread;
  private volatile boolean stopping;

  /**
   * Starts the run.
   *
   * @param ended called at most once, on this run's thread, if the run fails
   */
  DebeziumTask(
      String name, LogReader reader, Map<String, String> properties, Consumer<Throwable> ended) {
    this.reader = reader;
    this.properties = Map.copyOf(properties);
    this.ended = ended;
    this.thread = new Thread(this::run, name);
    thread.start();
  }

  /** Requests the end of the run, without waiting. */
  void stop() {
    stopping = true;
  }

  /** Ends the run and waits for its end. */
  void close() {
    stop();
    try {
      thread.join(STOP_TIMEOUT.toMillis());
      if (thread.isAlive()) {
        LOG.warn(
            "Debezium's task did not end within {} s and is interrupted", STOP_TIMEOUT.toSeconds());
        thread.interrupt();
        thread.join(STOP_TIMEOUT.toMillis());
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      reader.task().initialize(new WithoutOffsets(properties));
      reader.task().start(properties);
      while (!stopping) {
        // If the reader ended by a failure, the poll throws it.
        boolean silentEnd = reader.hasEnded();
        requireNothing(reader.task().poll());
        if (silentEnd && !stopping) {
          throw new IllegalStateException("Debezium's task stopped reading without an error");
        }
      }
    } catch (Throwable e) {
      if (!stopping) {
        ended.accept(e);
      }
    }
    // A pending interrupt would prevent the task from closing its connections.
    Thread.interrupted();
    try {
      reader.task().stop();
    } catch (RuntimeException | Error e) {
      LOG.warn("Debezium's task did not end cleanly: {}", e.toString());
    }
  }

  /** Events come through the event queue; a record returned here would never be published. */
  private static void requireNothing(List<SourceRecord> records) {
    if (records != null && !records.isEmpty()) {
      throw new IllegalStateException(
          "BUG: Debezium delivers %s records by itself, the first of topic %s"
              .formatted(records.size(), records.get(0).topic()));
    }
  }

  private record WithoutOffsets(Map<String, String> configs)
      implements SourceTaskContext, OffsetStorageReader {
    @Override
    public OffsetStorageReader offsetStorageReader() {
      return this;
    }

    @Override
    public org.apache.kafka.common.metrics.PluginMetrics pluginMetrics() {
      throw new UnsupportedOperationException("Debezium's task has no metrics of Connect");
    }

    @Override
    public <T> Map<String, Object> offset(Map<String, T> partition) {
      return null;
    }

    @Override
    public <T> Map<Map<String, T>, Map<String, Object>> offsets(
        Collection<Map<String, T>> partitions) {
      return Map.of();
    }
  }
}
