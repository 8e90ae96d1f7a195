package dev.sluice.config.task;

import java.util.Map;
import java.util.TreeMap;

/**
 * The user's Kafka client properties. Immutable; prints their names only, since any value may be
 * secret.
 */
public record KafkaProperties(Map<String, String> asMap) {

  public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

  public KafkaProperties {
    asMap = Map.copyOf(asMap);
  }

  public String bootstrapServers() {
    return asMap.get(BOOTSTRAP_SERVERS);
  }

  @Override
  public String toString() {
    return "KafkaProperties" + new TreeMap<>(asMap).keySet();
  }
}
