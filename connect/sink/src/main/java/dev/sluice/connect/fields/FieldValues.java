package dev.sluice.connect.fields;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * The fields of one object of a record: a Connect struct, a map if the converter has no schemas, or
 * what was read from the record's bytes. Immutable.
 */
public sealed interface FieldValues permits FieldValues.OfStruct, FieldValues.OfMap, ReadFields {

  /** The fields of a value; empty if it is no object. */
  static Optional<FieldValues> of(Object value) {
    if (value instanceof FieldValues fields) {
      return Optional.of(fields);
    }
    if (value instanceof Struct struct) {
      return Optional.of(new OfStruct(struct));
    }
    return value instanceof Map<?, ?> map ? Optional.of(new OfMap(map)) : Optional.empty();
  }

  /** The field names, in the schema's order; without schemas they are sorted by name. */
  List<String> names();

  /** A field's value; null if the field is null or missing. */
  Object value(String name);

  /** A field's schema; null if there are no schemas. */
  Schema schema(String name);

  /** False for JSON without schemas. */
  boolean hasSchemas();

  /** Objects with equal shapes have the same fields, of the same schemas. Cheap to compare. */
  Object shape();

  /** A nested object; empty if it is null or missing. */
  default Optional<FieldValues> within(String name) {
    return of(value(name));
  }

  default String text(String name) {
    Object value = value(name);
    return value == null ? null : value.toString();
  }

  default long number(String name, long otherwise) {
    return value(name) instanceof Number number ? number.longValue() : otherwise;
  }

  /** The fields of a struct, without their defaults, which would replace an explicit NULL. */
  record OfStruct(Struct struct) implements FieldValues {
    @Override
    public List<String> names() {
      return struct.schema().fields().stream().map(Field::name).toList();
    }

    @Override
    public Object value(String name) {
      return struct.schema().field(name) == null ? null : struct.getWithoutDefault(name);
    }

    @Override
    public Schema schema(String name) {
      Field field = struct.schema().field(name);
      return field == null ? null : field.schema();
    }

    @Override
    public boolean hasSchemas() {
      return true;
    }

    @Override
    public Object shape() {
      return new Same(struct.schema());
    }
  }

  /** The fields of JSON without schemas. */
  record OfMap(Map<?, ?> map) implements FieldValues {
    @Override
    public List<String> names() {
      return map.keySet().stream().map(Object::toString).sorted().toList();
    }

    @Override
    public Object value(String name) {
      return map.get(name);
    }

    @Override
    public Schema schema(String name) {
      return null;
    }

    @Override
    public boolean hasSchemas() {
      return false;
    }

    @Override
    public Object shape() {
      return names();
    }
  }

  /**
   * A schema by identity: a converter returns the same object for the same schema, and comparing
   * contents would be slow.
   */
  record Same(Schema schema) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Same that && that.schema == schema;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(schema);
    }
  }
}
