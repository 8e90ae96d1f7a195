package dev.sluice.engine.otlp;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whose metrics are pushed. Immutable.
 *
 * @param started since when it counts
 */
public record DaemonIdentity(String task, String version, Instant started) {

  /** Named as OpenTelemetry's conventions say. */
  Map<String, String> attributes() {
    return new TreeMap<>(
        Map.of("service.name", "sluice", "service.instance.id", task, "service.version", version));
  }
}
