package dev.sluice.connect.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;

/**
 * Reads values of a known schema, with the results of Kafka's JsonConverter. Only NaN and infinity
 * are read as what they are; that converter makes 0 of them. Stateless.
 */
final class SchemaValues {
  private SchemaValues() {}

  /** The value at the parser's current token. */
  static Object read(JsonParser json, Schema schema) throws IOException, IrregularJson {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      require(schema.isOptional());
      return null;
    }
    switch (schema.type()) {
      case INT8:
        return (byte) integer(json, token, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case INT16:
        return (short) integer(json, token, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT32:
        int number = (int) integer(json, token, Integer.MIN_VALUE, Integer.MAX_VALUE);
        return logical(schema, number);
      case INT64:
        long large = integer(json, token, Long.MIN_VALUE, Long.MAX_VALUE);
        return Timestamp.LOGICAL_NAME.equals(schema.name())
            ? Timestamp.toLogical(schema, large)
            : (Object) large;
      case FLOAT32:
        return Float.parseFloat(real(json, token));
      case FLOAT64:
        return Double.parseDouble(real(json, token));
      case BOOLEAN:
        require(token.isBoolean());
        return token == JsonToken.VALUE_TRUE;
      case STRING:
        require(token == JsonToken.VALUE_STRING);
        return json.getText();
      case BYTES:
        return bytes(json, token, schema);
      case ARRAY:
        return array(json, token, schema);
      case MAP:
        return map(json, token, schema);
      default:
        return struct(json, token, schema);
    }
  }

  private static Object logical(Schema schema, int number) {
    if (schema.name() == null) {
      return number;
    }
    switch (schema.name()) {
      case Date.LOGICAL_NAME:
        return Date.toLogical(schema, number);
      case Time.LOGICAL_NAME:
        return Time.toLogical(schema, number);
      default:
        return number;
    }
  }

  private static long integer(JsonParser json, JsonToken token, long least, long most)
      throws IOException, IrregularJson {
    require(
        token == JsonToken.VALUE_NUMBER_INT
            && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER);
    long number = json.getLongValue();
    require(number >= least && number <= most);
    return number;
  }

  /** The digits of a number, or the name of one that has none. */
  private static String real(JsonParser json, JsonToken token) throws IOException, IrregularJson {
    String text = json.getText();
    require(
        token.isNumeric()
            || token == JsonToken.VALUE_STRING
                && (text.equals("NaN") || text.equals("Infinity") || text.equals("-Infinity")));
    return text;
  }

  private static Object bytes(JsonParser json, JsonToken token, Schema schema)
      throws IOException, IrregularJson {
    boolean isDecimal = Decimal.LOGICAL_NAME.equals(schema.name());
    if (isDecimal && token.isNumeric()) {
      return json.getDecimalValue();
    }
    require(token == JsonToken.VALUE_STRING);
    byte[] bytes = json.getBinaryValue();
    return isDecimal ? Decimal.toLogical(schema, bytes) : bytes;
  }

  private static List<Object> array(JsonParser json, JsonToken token, Schema schema)
      throws IOException, IrregularJson {
    require(token == JsonToken.START_ARRAY);
    List<Object> elements = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      elements.add(read(json, schema.valueSchema()));
    }
    return elements;
  }

  private static Map<Object, Object> map(JsonParser json, JsonToken token, Schema schema)
      throws IOException, IrregularJson {
    require(token == JsonToken.START_OBJECT && schema.keySchema().type() == Schema.Type.STRING);
    Map<Object, Object> pairs = new HashMap<>();
    for (String key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
      json.nextToken();
      pairs.put(key, read(json, schema.valueSchema()));
    }
    return pairs;
  }

  private static Struct struct(JsonParser json, JsonToken token, Schema schema)
      throws IOException, IrregularJson {
    require(token == JsonToken.START_OBJECT);
    Struct struct = new Struct(schema);
    for (Field field : schema.fields()) {
      require(field.name().equals(json.nextFieldName()));
      json.nextToken();
      struct.put(field, read(json, field.schema()));
    }
    require(json.nextToken() == JsonToken.END_OBJECT);
    return struct;
  }

  static void require(boolean isRegular) throws IrregularJson {
    if (!isRegular) {
      throw IrregularJson.FOUND;
    }
  }
}
