package dev.sluice.connector.debezium;

import java.util.HashMap;
import java.util.Map;

/** The properties of a Debezium task that are the same for all types of source. Stateless. */
final class TaskProperties {
  private TaskProperties() {}

  /** Completes the connector's properties with those that the journal depends on. */
  static Map<String, String> complete(String task, Map<String, String> connector) {
    Map<String, String> properties = new HashMap<>(connector);
    properties.put("name", "sluice-" + task);
    // Also names the metrics in JMX, which are there once in a process.
    properties.put("topic.prefix", "sluice-" + task);
    // An error ends the task: an internal restart would need a stored offset, and there is none.
    properties.put("errors.max.retries", "0");
    properties.put("snapshot.mode", "no_data");
    properties.put("provide.transaction.metadata", "false");
    properties.put("skipped.operations", "none");
    properties.put("heartbeat.interval.ms", "0");
    // Events do not use Debezium's queue: this is only the interval for failures and stops.
    properties.put("poll.interval.ms", "100");
    return properties;
  }
}
