package dev.sluice.connect;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.util.HashMap;
import java.util.Map;

/** Debezium's connector of PostgreSQL, as the tests of this package configure it. */
final class DebeziumSource {
  private DebeziumSource() {}

  /**
   * Properties of a connector that reads the database {@code source}.
   *
   * @param name of its topics, its slot and its publication
   */
  static Map<String, String> of(EmbeddedPostgres postgres, String name) {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    config.put("tasks.max", "1");
    config.put("database.hostname", "127.0.0.1");
    config.put("database.port", Integer.toString(postgres.port()));
    config.put("database.user", "postgres");
    config.put("database.password", "postgres");
    config.put("database.dbname", "source");
    config.put("topic.prefix", name);
    config.put("plugin.name", "pgoutput");
    config.put("slot.name", name);
    config.put("publication.name", name);
    config.put("publication.autocreate.mode", "filtered");
    config.put("provide.transaction.metadata", "true");
    config.put("skipped.operations", "none");
    config.put("interval.handling.mode", "string");
    config.put("poll.interval.ms", "50");
    return config;
  }

  /** Sends all changes to one topic. */
  static void route(Map<String, String> config, String topic) {
    config.put("transforms", "route");
    config.put("transforms.route.type", "org.apache.kafka.connect.transforms.RegexRouter");
    config.put("transforms.route.regex", ".*");
    config.put("transforms.route.replacement", topic);
  }
}
