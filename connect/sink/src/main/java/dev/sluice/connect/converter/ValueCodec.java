package dev.sluice.connect.converter;

import dev.sluice.connector.api.ByteSink;
import dev.sluice.connector.api.ByteSource;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;

/**
 * Writes and reads a value of a known schema as bytes. Stateless.
 *
 * <p>For an optional value, one byte says if it is null. Integers are zigzag numbers of variable
 * length, floats are their bits; strings, bytes, arrays and maps start with their length.
 */
final class ValueCodec {
  private static final int ABSENT = 0;
  private static final int PRESENT = 1;

  private ValueCodec() {}

  /**
   * @throws DataException if the value does not match the schema
   */
  static void write(ByteSink sink, Schema schema, Object value) {
    if (schema.isOptional()) {
      sink.writeByte(value == null ? ABSENT : PRESENT);
      if (value == null) {
        return;
      }
    }
    Object given = value == null ? schema.defaultValue() : value;
    if (given == null) {
      throw new DataException("a null that %s does not allow".formatted(shown(schema)));
    }
    try {
      writePresent(sink, schema, unwrapped(schema, given));
    } catch (ClassCastException e) {
      throw new DataException(
          "a value of %s, which is none of %s".formatted(given.getClass().getName(), shown(schema)),
          e);
    }
  }

  static Object read(ByteSource source, Schema schema) {
    return isPresent(source, schema) ? present(source, schema) : null;
  }

  private static Object present(ByteSource source, Schema schema) {
    return wrapped(schema, readPresent(source, schema));
  }

  /** Skips a value. */
  static void skip(ByteSource source, Schema schema) {
    if (!isPresent(source, schema)) {
      return;
    }
    switch (schema.type()) {
      case INT8:
      case INT16:
      case INT32:
      case INT64:
        source.readVarlong();
        break;
      case FLOAT32:
      case FLOAT64:
        source.skip(Long.BYTES);
        break;
      case STRING:
      case BYTES:
        source.skip(source.readVarint());
        break;
      default:
        readPresent(source, schema);
    }
  }

  /** True if the value of an optional schema is there; otherwise it was read. */
  static boolean isPresent(ByteSource source, Schema schema) {
    return !schema.isOptional() || source.readByte() != ABSENT;
  }

  private static void writePresent(ByteSink sink, Schema schema, Object value) {
    switch (schema.type()) {
      case INT8:
      case INT16:
      case INT32:
      case INT64:
        long number = ((Number) value).longValue();
        sink.writeVarlong(number << 1 ^ number >> 63);
        break;
      case FLOAT32:
        sink.writeLong(Float.floatToRawIntBits((Float) value));
        break;
      case FLOAT64:
        sink.writeLong(Double.doubleToRawLongBits((Double) value));
        break;
      case BOOLEAN:
        sink.writeByte((Boolean) value ? 1 : 0);
        break;
      case STRING:
        sink.writeString((String) value);
        break;
      case BYTES:
        writeBytes(sink, value);
        break;
      case ARRAY:
        Collection<?> elements = (Collection<?>) value;
        sink.writeVarint(elements.size());
        elements.forEach(element -> write(sink, schema.valueSchema(), element));
        break;
      case MAP:
        Map<?, ?> pairs = (Map<?, ?>) value;
        sink.writeVarint(pairs.size());
        pairs.forEach(
            (key, mapped) -> {
              write(sink, schema.keySchema(), key);
              write(sink, schema.valueSchema(), mapped);
            });
        break;
      case STRUCT:
        Struct struct = (Struct) value;
        for (Field field : schema.fields()) {
          write(sink, field.schema(), struct.getWithoutDefault(field.name()));
        }
        break;
      default:
        throw new DataException("a value of the unknown type " + schema.type());
    }
  }

  private static Object readPresent(ByteSource source, Schema schema) {
    switch (schema.type()) {
      case INT8:
        return (byte) readNumber(source);
      case INT16:
        return (short) readNumber(source);
      case INT32:
        return (int) readNumber(source);
      case INT64:
        return readNumber(source);
      case FLOAT32:
        return Float.intBitsToFloat((int) source.readLong());
      case FLOAT64:
        return Double.longBitsToDouble(source.readLong());
      case BOOLEAN:
        return source.readByte() != 0;
      case STRING:
        return source.readString();
      case BYTES:
        return source.readBytes(source.readVarint());
      case ARRAY:
        List<Object> elements = new ArrayList<>();
        for (int left = source.readVarint(); left > 0; left--) {
          elements.add(read(source, schema.valueSchema()));
        }
        return elements;
      case MAP:
        Map<Object, Object> pairs = new LinkedHashMap<>();
        for (int left = source.readVarint(); left > 0; left--) {
          Object key = read(source, schema.keySchema());
          pairs.put(key, read(source, schema.valueSchema()));
        }
        return pairs;
      case STRUCT:
        Struct struct = new Struct(schema);
        for (Field field : schema.fields()) {
          struct.put(field, read(source, field.schema()));
        }
        return struct;
      default:
        throw new DataException("a value of the unknown type " + schema.type());
    }
  }

  private static void writeBytes(ByteSink sink, Object value) {
    byte[] bytes;
    if (value instanceof ByteBuffer buffer) {
      bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
    } else {
      bytes = (byte[]) value;
    }
    sink.writeVarint(bytes.length);
    sink.write(bytes, 0, bytes.length);
  }

  private static long readNumber(ByteSource source) {
    long zigzag = source.readVarlong();
    return zigzag >>> 1 ^ -(zigzag & 1);
  }

  /** The value of the schema's own type. Connect's logical types use other classes in memory. */
  private static Object unwrapped(Schema schema, Object value) {
    if (schema.name() == null) {
      return value;
    }
    switch (schema.name()) {
      case Decimal.LOGICAL_NAME:
        return Decimal.fromLogical(schema, (BigDecimal) value);
      case Date.LOGICAL_NAME:
        return Date.fromLogical(schema, (java.util.Date) value);
      case Time.LOGICAL_NAME:
        return Time.fromLogical(schema, (java.util.Date) value);
      case Timestamp.LOGICAL_NAME:
        return Timestamp.fromLogical(schema, (java.util.Date) value);
      default:
        return value;
    }
  }

  private static Object wrapped(Schema schema, Object value) {
    if (schema.name() == null) {
      return value;
    }
    switch (schema.name()) {
      case Decimal.LOGICAL_NAME:
        return Decimal.toLogical(schema, (byte[]) value);
      case Date.LOGICAL_NAME:
        return Date.toLogical(schema, (Integer) value);
      case Time.LOGICAL_NAME:
        return Time.toLogical(schema, (Integer) value);
      case Timestamp.LOGICAL_NAME:
        return Timestamp.toLogical(schema, (Long) value);
      default:
        return value;
    }
  }

  private static String shown(Schema schema) {
    return schema.name() == null ? schema.type().getName() : schema.name();
  }
}
