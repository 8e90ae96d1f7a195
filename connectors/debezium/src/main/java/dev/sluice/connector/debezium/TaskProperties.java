package dev.sluice.connector.debezium;

import java.util.HashMap;
import java.util.Map;

/** The properties of a Debezium task that do not depend on the kind of source. */
final class TaskProperties {
  private TaskProperties() {}

  /** The connector's properties with those that the journal's promises rest on. */
  static Map<String, String> complete(String task, Map<String, String> connector) {
    Map<String, String> properties = new HashMap<>(connector);
    properties.put("name", "sluice-" + task);
    properties.put("topic.prefix", "sluice");
    // An error ends the task: a restart inside it would search by an offset that nobody stores.
    properties.put("errors.max.retries", "0");
    properties.put("snapshot.mode", "no_data");
    properties.put("provide.transaction.metadata", "false");
    properties.put("skipped.operations", "none");
    properties.put("heartbeat.interval.ms", "0");
    // Events do not go through Debezium's queue: how often a failure is looked for, and how long
    // stopping takes.
    properties.put("poll.interval.ms", "100");
    return properties;
  }
}
