package dev.sluice.connect.converter;

import dev.sluice.connector.api.ByteSink;
import dev.sluice.connector.api.ByteSource;
import dev.sluice.connector.api.CorruptJournalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Writes and reads a Connect schema as bytes, with all its properties. Stateless.
 *
 * <p>The type and a set of flags for optional parts (1 byte each), then name, version,
 * documentation and parameters; the schemas of elements, or the number, names and schemas of the
 * fields; finally the default.
 */
final class SchemaForm {
  private static final List<Schema.Type> TYPES =
      // By index here, so that the written bytes mean the same in every release of Connect.
      List.of(
          Schema.Type.INT8,
          Schema.Type.INT16,
          Schema.Type.INT32,
          Schema.Type.INT64,
          Schema.Type.FLOAT32,
          Schema.Type.FLOAT64,
          Schema.Type.BOOLEAN,
          Schema.Type.STRING,
          Schema.Type.BYTES,
          Schema.Type.ARRAY,
          Schema.Type.MAP,
          Schema.Type.STRUCT);

  private static final int OPTIONAL = 1;
  private static final int NAME = 2;
  private static final int VERSION = 4;
  private static final int DOCUMENTATION = 8;
  private static final int PARAMETERS = 16;
  private static final int DEFAULT = 32;

  private SchemaForm() {}

  static void write(ByteSink sink, Schema schema) {
    sink.writeByte(TYPES.indexOf(schema.type()));
    Map<String, String> parameters = schema.parameters();
    sink.writeByte(
        (schema.isOptional() ? OPTIONAL : 0)
            | (schema.name() != null ? NAME : 0)
            | (schema.version() != null ? VERSION : 0)
            | (schema.doc() != null ? DOCUMENTATION : 0)
            | (parameters != null ? PARAMETERS : 0)
            | (schema.defaultValue() != null ? DEFAULT : 0));
    if (schema.name() != null) {
      sink.writeString(schema.name());
    }
    if (schema.version() != null) {
      sink.writeVarint(schema.version());
    }
    if (schema.doc() != null) {
      sink.writeString(schema.doc());
    }
    if (parameters != null) {
      sink.writeVarint(parameters.size());
      parameters.forEach(
          (name, value) -> {
            sink.writeString(name);
            sink.writeString(value);
          });
    }
    writeInner(sink, schema);
    if (schema.defaultValue() != null) {
      ValueCodec.write(sink, schema, schema.defaultValue());
    }
  }

  private static void writeInner(ByteSink sink, Schema schema) {
    switch (schema.type()) {
      case ARRAY:
        write(sink, schema.valueSchema());
        break;
      case MAP:
        write(sink, schema.keySchema());
        write(sink, schema.valueSchema());
        break;
      case STRUCT:
        sink.writeVarint(schema.fields().size());
        for (Field field : schema.fields()) {
          sink.writeString(field.name());
          write(sink, field.schema());
        }
        break;
      default:
        // A type without nested types.
    }
  }

  static Schema read(ByteSource source) {
    int type = source.readByte();
    if (type >= TYPES.size()) {
      throw new CorruptJournalException("a schema of the unknown type " + type);
    }
    int has = source.readByte();
    String name = (has & NAME) == 0 ? null : source.readString();
    Integer version = (has & VERSION) == 0 ? null : Integer.valueOf((int) source.readVarlong());
    String documentation = (has & DOCUMENTATION) == 0 ? null : source.readString();
    List<String> parameters = new ArrayList<>();
    if ((has & PARAMETERS) != 0) {
      for (int left = source.readVarint(); left > 0; left--) {
        parameters.add(source.readString());
        parameters.add(source.readString());
      }
    }
    SchemaBuilder builder = inner(source, TYPES.get(type));
    if (name != null) {
      builder.name(name);
    }
    if (version != null) {
      builder.version(version);
    }
    if (documentation != null) {
      builder.doc(documentation);
    }
    for (int i = 0; i < parameters.size(); i += 2) {
      builder.parameter(parameters.get(i), parameters.get(i + 1));
    }
    if ((has & OPTIONAL) != 0) {
      builder.optional();
    }
    return (has & DEFAULT) == 0 ? builder.build() : withDefault(source, builder);
  }

  private static Schema withDefault(ByteSource source, SchemaBuilder builder) {
    try {
      return builder.defaultValue(ValueCodec.read(source, builder)).build();
    } catch (ConnectException e) {
      throw new CorruptJournalException("a default that is none of its type: " + e.getMessage());
    }
  }

  private static SchemaBuilder inner(ByteSource source, Schema.Type type) {
    switch (type) {
      case ARRAY:
        return SchemaBuilder.array(read(source));
      case MAP:
        Schema keys = read(source);
        return SchemaBuilder.map(keys, read(source));
      case STRUCT:
        SchemaBuilder struct = SchemaBuilder.struct();
        for (int left = source.readVarint(); left > 0; left--) {
          String field = source.readString();
          struct.field(field, read(source));
        }
        return struct;
      default:
        return SchemaBuilder.type(type);
    }
  }
}
