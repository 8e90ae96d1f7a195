package dev.sluice.connect.envelope;

import dev.sluice.connect.converter.BinaryFields;
import dev.sluice.connect.fields.FieldValues;
import dev.sluice.connect.json.JsonFields;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The fields of records' keys and values: from what a converter has made, or from the bytes
 * themselves if the connector has Kafka's ByteArrayConverter. Owned by one thread.
 */
final class RecordFields {
  private final JsonFields jsonValues = new JsonFields(true);
  private final JsonFields jsonKeys = new JsonFields(false);
  private final BinaryFields binary = new BinaryFields();

  /** The value's fields; empty if it is null. */
  Optional<FieldValues> value(SinkRecord record) {
    return of(record, record.value(), "value", jsonValues);
  }

  /** The key's fields; empty if it is null. */
  Optional<FieldValues> key(SinkRecord record) {
    return of(record, record.key(), "key", jsonKeys);
  }

  private Optional<FieldValues> of(SinkRecord record, Object given, String part, JsonFields json) {
    if (given == null) {
      return Optional.empty();
    }
    if (given instanceof byte[] bytes) {
      return of(record, bytes, part, json);
    }
    if (given instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return of(record, bytes, part, json);
    }
    return Optional.of(
        FieldValues.of(given)
            .orElseThrow(
                () ->
                    EnvelopeReader.unknown(
                        record,
                        "a %s of %s".formatted(part, given.getClass().getSimpleName()),
                        "Set the %s.converter that the source connector writes with"
                            .formatted(part))));
  }

  private Optional<FieldValues> of(SinkRecord record, byte[] bytes, String part, JsonFields json) {
    try {
      return BinaryFields.areBinary(bytes) ? binary.read(bytes) : json.read(record.topic(), bytes);
    } catch (DataException e) {
      throw EnvelopeReader.unreadable(record, part, bytes, e.getMessage());
    } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
      // Values that the converters do not check, such as a decimal of no bytes.
      throw EnvelopeReader.unreadable(record, part, bytes, e.toString());
    }
  }
}
