package dev.sluice.connect;

import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

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

  /**
   * The same for a connector that reads the schema {@code shop} and outlives a killed worker, as
   * JSON with schemas.
   */
  static Map<String, String> ofShop(EmbeddedPostgres postgres, String name) {
    Map<String, String> config = of(postgres, name);
    config.putAll(jsonWithSchemas());
    config.put("schema.include.list", "shop");
    // The server may take its time to notice that a killed worker has gone.
    config.put("slot.max.retries", "300");
    config.put("slot.retry.delay.ms", "1000");
    return config;
  }

  /** Gives each table a topic of its own, which Connect makes. */
  static void apart(Map<String, String> config) {
    config.put("topic.creation.default.partitions", "1");
    config.put("topic.creation.default.replication.factor", "1");
  }

  /** Converters that carry every NULL. */
  static Map<String, String> jsonWithSchemas() {
    Map<String, String> config = json(true);
    for (String side : List.of("key", "value")) {
      config.put(side + ".converter.replace.null.with.default", "false");
    }
    return config;
  }

  static Map<String, String> json(boolean withSchemas) {
    Map<String, String> config = new HashMap<>();
    for (String side : List.of("key", "value")) {
      config.put(side + ".converter", "org.apache.kafka.connect.json.JsonConverter");
      config.put(side + ".converter.schemas.enable", Boolean.toString(withSchemas));
    }
    return config;
  }

  /** Makes a topic that has all changes in their order. */
  static void makeTopic(EmbeddedBroker broker, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    }
  }

  /** Sends all changes to one topic. */
  static void route(Map<String, String> config, String topic) {
    config.put("transforms", "route");
    config.put("transforms.route.type", "org.apache.kafka.connect.transforms.RegexRouter");
    config.put("transforms.route.regex", ".*");
    config.put("transforms.route.replacement", topic);
  }
}
