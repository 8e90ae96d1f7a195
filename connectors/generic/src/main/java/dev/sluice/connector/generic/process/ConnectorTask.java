package dev.sluice.connector.generic.process;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.record.Bookmark;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a connector's only task: what a Connect worker does, without the worker. The offset
 * comes from the journal. Used by one thread, whose context class loader it sets.
 */
public final class ConnectorTask implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorTask.class);

  private final ConnectorFolder folder;
  private final SourceConnector connector;
  private SourceTask task;

  /**
   * Loads the connector; starts nothing.
   *
   * @throws SluiceException.Fatal if the folder does not have it
   */
  public ConnectorTask(ConnectorFolder folder, String className) {
    this.folder = folder;
    this.connector = folder.connector(className);
  }

  /**
   * Starts the task.
   *
   * @param start where it goes on; empty if it begins
   */
  public void start(Map<String, String> properties, Optional<Bookmark> start) {
    Thread.currentThread().setContextClassLoader(folder.loader());
    StoredOffset offset = new StoredOffset(start);
    connector.initialize(new NoWorker());
    connector.start(properties);
    List<Map<String, String>> tasks = connector.taskConfigs(1);
    if (tasks.size() != 1) {
      throw new SluiceException.Fatal(
          "the connector wants %d tasks; Sluice runs exactly one, so that transactions keep their order"
              .formatted(tasks.size()),
          null);
    }
    task = (SourceTask) Utils.newInstance(connector.taskClass());
    task.initialize(new Context(tasks.get(0), offset));
    task.start(tasks.get(0));
  }

  /** The next records; empty if none came within Debezium's interval. */
  public List<SourceRecord> poll() throws InterruptedException {
    List<SourceRecord> records = task.poll();
    return records == null ? List.of() : records;
  }

  /** Tells the source that everything up to a record is safe, so that it may delete its log. */
  public void acknowledge(SourceRecord last) throws InterruptedException {
    task.commitRecord(last, null);
    task.commit();
  }

  @Override
  public void close() {
    // A pending interrupt would prevent the task from closing its connections.
    Thread.interrupted();
    try {
      if (task != null) {
        task.stop();
      }
      connector.stop();
    } catch (RuntimeException | Error e) {
      LOG.warn("Debezium's task did not end cleanly: {}", e.toString());
    }
  }

  /** A worker would restart tasks whose properties change. */
  private static final class NoWorker implements ConnectorContext {
    @Override
    public void requestTaskReconfiguration() {
      LOG.warn("Debezium's connector asks for other tasks; this takes effect with the next start");
    }

    @Override
    public void raiseError(Exception e) {
      throw new IllegalStateException("Debezium's connector failed", e);
    }

    @Override
    public PluginMetrics pluginMetrics() {
      throw new UnsupportedOperationException("Debezium's connector has no metrics of Connect");
    }
  }

  private record Context(Map<String, String> configs, StoredOffset offsetStorageReader)
      implements SourceTaskContext {
    @Override
    public PluginMetrics pluginMetrics() {
      throw new UnsupportedOperationException("Debezium's task has no metrics of Connect");
    }
  }

  /** The only offset there is. */
  private record StoredOffset(Optional<Bookmark> bookmark) implements OffsetStorageReader {
    @Override
    public <T> Map<String, Object> offset(Map<String, T> partition) {
      if (bookmark.isEmpty()) {
        return null;
      }
      if (!bookmark.get().partition().equals(new TreeMap<>(partition))) {
        // Without its offset Debezium would begin at the present, and skip what is between.
        throw new SluiceException.Fatal(
            "the journal has the offset of %s, and Debezium asks for that of %s"
                .formatted(bookmark.get().partition(), partition),
            null);
      }
      return new HashMap<>(bookmark.get().offset());
    }

    @Override
    public <T> Map<Map<String, T>, Map<String, Object>> offsets(
        Collection<Map<String, T>> partitions) {
      Map<Map<String, T>, Map<String, Object>> offsets = new HashMap<>();
      partitions.forEach(partition -> offsets.put(partition, offset(partition)));
      return offsets;
    }
  }
}
