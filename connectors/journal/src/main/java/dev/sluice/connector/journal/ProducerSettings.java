package dev.sluice.connector.journal;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The producer's settings: the user's, and fixed ones for order and durability. */
final class ProducerSettings {
  private ProducerSettings() {}

  static Map<String, Object> of(Map<String, Object> client) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 32L * 1024 * 1024);
    settings.putAll(client);
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 60_000L);
    return settings;
  }
}
