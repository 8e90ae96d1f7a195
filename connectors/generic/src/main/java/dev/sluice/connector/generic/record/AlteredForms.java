package dev.sluice.connector.generic.record;

import java.util.Optional;
import org.apache.kafka.connect.data.Schema;

/**
 * Forms in which Debezium's connectors send other values than the source has, without a word. Such
 * a column is refused with its first record. Stateless.
 */
final class AlteredForms {
  private AlteredForms() {}

  /** What Debezium alters in values of this schema; empty if nothing is known. */
  static Optional<String> of(Schema schema) {
    if (schema.type() == Schema.Type.ARRAY) {
      return of(schema.valueSchema());
    }
    if (schema.name() == null) {
      return Optional.empty();
    }
    return switch (schema.name()) {
      case "io.debezium.time.ZonedTime" ->
          Optional.of("a time with a zone, which Debezium converts to UTC");
      case "io.debezium.data.Enum", "io.debezium.data.EnumSet" ->
          hasEscapes(schema)
              ? Optional.of(
                  "an enumeration with a comma or a backslash in a label, which Debezium writes with"
                      + " another backslash in changes, and without in its snapshot")
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** The labels are one text, with commas between. */
  private static boolean hasEscapes(Schema schema) {
    String labels = schema.parameters() == null ? null : schema.parameters().get("allowed");
    return labels != null && labels.contains("\\");
  }
}
