package dev.sluice.connect.json;

import dev.sluice.connect.fields.FieldValues;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.json.JsonConverter;

/**
 * Kafka's JsonConverter, for what is not read here: new schemas, and records of another form than
 * that converter writes. Owned by one thread.
 */
final class JsonSchemas {
  private static final byte[] BEFORE =
      "{\"schema\":{\"type\":\"array\",\"items\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] AFTER = "},\"payload\":[]}".getBytes(StandardCharsets.US_ASCII);

  private final JsonConverter withSchemas;
  private final JsonConverter withoutSchemas;

  JsonSchemas(boolean ofValues) {
    withSchemas = converter(ofValues, true);
    withoutSchemas = converter(ofValues, false);
  }

  /**
   * Parses a schema.
   *
   * @param from index of its first byte
   * @param to index after its last byte
   * @throws DataException if it is none
   */
  Schema parse(byte[] bytes, int from, int to) {
    // The schema of an empty array's elements: a worker's Jackson is not this plugin's, so the
    // converter can be given bytes only.
    byte[] array = new byte[BEFORE.length + to - from + AFTER.length];
    System.arraycopy(BEFORE, 0, array, 0, BEFORE.length);
    System.arraycopy(bytes, from, array, BEFORE.length, to - from);
    System.arraycopy(AFTER, 0, array, BEFORE.length + to - from, AFTER.length);
    return withSchemas.toConnectData("", array).schema().valueSchema();
  }

  /**
   * Reads a record.
   *
   * @return empty if its value is null
   * @throws DataException if it cannot be read, or is no object
   */
  Optional<FieldValues> convert(String topic, byte[] bytes, boolean hasSchema) {
    Object value = (hasSchema ? withSchemas : withoutSchemas).toConnectData(topic, bytes).value();
    if (value == null) {
      // To the converter, a record without JSON is a null.
      if (new String(bytes, StandardCharsets.UTF_8).isBlank()) {
        throw new DataException("there is no JSON in it");
      }
      return Optional.empty();
    }
    return Optional.of(
        FieldValues.of(value)
            .orElseThrow(
                () -> new DataException("a value of " + value.getClass().getSimpleName())));
  }

  private static JsonConverter converter(boolean ofValues, boolean hasSchemas) {
    JsonConverter converter = new JsonConverter();
    converter.configure(
        Map.of(
            "schemas.enable",
            Boolean.toString(hasSchemas),
            // An explicit NULL in a column with a default stays one.
            "replace.null.with.default",
            "false"),
        !ofValues);
    return converter;
  }
}
