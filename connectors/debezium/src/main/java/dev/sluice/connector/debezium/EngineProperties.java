package dev.sluice.connector.debezium;

import java.util.Properties;

/** The engine's properties that do not depend on the kind of source. */
final class EngineProperties {
  private EngineProperties() {}

  /** The connector's properties with those that the journal's promises rest on. */
  static Properties complete(String task, Properties connector) {
    Properties properties = new Properties();
    properties.putAll(connector);
    properties.setProperty("name", "sluice-" + task);
    properties.setProperty("topic.prefix", "sluice");
    // The slot is the only memory of how far the source was read: an engine begins without any,
    // and an error ends the engine, since a restart inside it would search by a stored offset.
    properties.setProperty(
        "offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    properties.setProperty("offset.flush.interval.ms", "0");
    properties.setProperty("errors.max.retries", "0");
    properties.setProperty("snapshot.mode", "no_data");
    properties.setProperty("provide.transaction.metadata", "true");
    properties.setProperty("skipped.operations", "none");
    properties.setProperty("tombstones.on.delete", "false");
    properties.setProperty("extended.headers.enabled", "false");
    properties.setProperty("heartbeat.interval.ms", "0");
    properties.setProperty("record.processing.threads", "1");
    properties.setProperty("statistics.metrics.enabled", "false");
    properties.setProperty("advanced.metrics.enable", "false");
    properties.setProperty("converters", "text");
    properties.setProperty("text.type", TextConverter.class.getName());
    properties.setProperty("max.batch.size", "4096");
    properties.setProperty("max.queue.size", "16384");
    properties.setProperty("max.queue.size.in.bytes", Long.toString(64L * 1024 * 1024));
    // A poll of a batch that does not fill spins in its last millisecond: not too many polls.
    properties.setProperty("poll.interval.ms", "20");
    return properties;
  }
}
