package dev.sluice.connect;

import dev.sluice.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sluice's connector, as the tests of this package configure it. */
final class SluiceSink {
  /** Of the topics that a connector named so fills, one for each table. */
  static final String APART = "apart";

  private SluiceSink() {}

  /**
   * Properties of a sink that reads bytes.
   *
   * @param directory of the test
   */
  static Map<String, String> of(EmbeddedBroker broker, Path directory, String name, String url) {
    Map<String, String> config = bytes();
    config.put("name", name);
    config.put("connector.class", "dev.sluice.connect.SluiceSinkConnector");
    config.put("tasks.max", "1");
    config.put("target.url", url);
    config.put("kafka.bootstrap.servers", broker.bootstrapServers());
    config.put("batch.apply.timeout.min", "0.1");
    config.put("durable.commit.interval", "0.5");
    config.put("swap.directory", directory.resolve("swap").toString());
    config.put("consumer.override.metadata.max.age.ms", "1000");
    // A worker that was killed is missed soon.
    config.put("consumer.override.session.timeout.ms", "6000");
    config.put("consumer.override.heartbeat.interval.ms", "1000");
    return config;
  }

  static Map<String, String> bytes() {
    Map<String, String> config = new HashMap<>();
    for (String part : List.of("key", "value", "header")) {
      config.put(part + ".converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    }
    return config;
  }

  /** Lets it read one topic that has all changes in their order. */
  static void readOne(Map<String, String> config, String topic) {
    config.put("topic.layout", "ordered");
    config.put("topics", topic);
  }

  /** Lets it read {@link #APART} in one of the other two layouts. */
  static void readApart(Map<String, String> config, String layout) {
    config.put("topic.layout", layout);
    if (layout.equals("tables")) {
      config.put("topics.regex", "apart[.]shop[.].*");
    } else {
      config.put("topics.regex", "apart[.]shop[.].*|apart[.]transaction");
      config.put("transaction.topic", APART + ".transaction");
    }
  }
}
