package dev.sluice.connect.json;

import static dev.sluice.connect.json.SchemaValues.require;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.sluice.connect.fields.FieldValues;
import dev.sluice.connect.fields.ReadFields;
import dev.sluice.connect.fields.ReadPlan;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;

/**
 * Reads the keys or the values of records from their JSON, with schemas or without. A schema is
 * parsed once and then known by its bytes, so that a record costs its values alone. What is not as
 * Kafka's JsonConverter writes it is left to that converter. Owned by one thread.
 */
public final class JsonFields {
  private static final int SCHEMAS_KEPT = 10_000;

  /** Kafka limits the size of a record, so the parser need not. */
  private final JsonFactory factory =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private final boolean isValue;
  private final JsonSchemas schemas;
  private final PrefixTree<Described> known = new PrefixTree<>();
  private final PlainReader plain = new PlainReader();

  /**
   * What a known start of a record says about the rest.
   *
   * @param length of the start, up to the payload
   * @param reader null if the payload is not read here
   */
  private record Described(int length, StructReader reader) {}

  /**
   * @param isValue true for the values of records, which may be events; false for their keys
   */
  public JsonFields(boolean isValue) {
    this.isValue = isValue;
    this.schemas = new JsonSchemas(isValue);
  }

  /**
   * Reads a key or a value.
   *
   * @return empty if it is JSON's null
   * @throws DataException if the bytes are no JSON, have other values than their schema says, or
   *     are no object
   */
  public Optional<FieldValues> read(String topic, byte[] bytes) {
    boolean hasSchema = true;
    try {
      Described described = known.find(bytes);
      if (described == null) {
        hasSchema = startsWithSchema(bytes);
        if (!hasSchema) {
          return Optional.of(withoutSchema(bytes));
        }
        described = describe(bytes);
      }
      return Optional.of(payload(bytes, described));
    } catch (IOException | IrregularJson e) {
      // The converter reads it, or says what is wrong.
      return schemas.convert(topic, bytes, hasSchema);
    }
  }

  /** The payload after a known start. */
  private ReadFields payload(byte[] bytes, Described described) throws IOException, IrregularJson {
    require(described.reader() != null && bytes[bytes.length - 1] == '}');
    int length = bytes.length - 1 - described.length();
    try (JsonParser json = factory.createParser(bytes, described.length(), length)) {
      json.nextToken();
      ReadFields fields = described.reader().read(json);
      require(json.nextToken() == null);
      return fields;
    }
  }

  private ReadFields withoutSchema(byte[] bytes) throws IOException, IrregularJson {
    try (JsonParser json = factory.createParser(bytes)) {
      json.nextToken();
      ReadFields fields = plain.read(json, isValue);
      require(json.nextToken() == null);
      return fields;
    }
  }

  /** Reads a schema that was not seen before. */
  private Described describe(byte[] bytes) throws IOException, IrregularJson {
    try (JsonParser json = factory.createParser(bytes)) {
      require(isSchemaNext(json));
      int from = (int) json.currentTokenLocation().getByteOffset();
      json.skipChildren();
      int to = (int) json.currentLocation().getByteOffset();
      require("payload".equals(json.nextFieldName()));
      json.nextToken();
      int length = (int) json.currentTokenLocation().getByteOffset();
      // In another encoding than UTF-8 the parser does not tell bytes.
      require(from > 0 && to > from && length > to);
      // Up to the colon, so that no known start is the start of another.
      while (bytes[length - 1] != ':') {
        length--;
      }
      Schema schema = schemas.parse(bytes, from, to);
      Described described =
          new Described(
              length,
              schema.type() == Schema.Type.STRUCT ? new StructReader(ReadPlan.of(schema)) : null);
      if (known.size() >= SCHEMAS_KEPT) {
        known.clear();
      }
      known.add(Arrays.copyOf(bytes, length), described);
      return described;
    }
  }

  private boolean startsWithSchema(byte[] bytes) throws IOException {
    try (JsonParser json = factory.createParser(bytes)) {
      return isSchemaNext(json);
    }
  }

  private static boolean isSchemaNext(JsonParser json) throws IOException {
    return json.nextToken() == JsonToken.START_OBJECT
        && "schema".equals(json.nextFieldName())
        && json.nextToken() == JsonToken.START_OBJECT;
  }
}
