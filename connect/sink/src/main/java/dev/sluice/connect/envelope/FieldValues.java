package dev.sluice.connect.envelope;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * The fields of one object of a record: a Connect struct, or a map if the converter has no schemas.
 * Immutable.
 */
sealed interface FieldValues {

  /** The fields of a converted value; empty if it is neither a struct nor a map. */
  static Optional<FieldValues> of(Object value) {
    if (value instanceof Struct struct) {
      return Optional.of(new OfStruct(struct));
    }
    return value instanceof Map<?, ?> map ? Optional.of(new OfMap(map)) : Optional.empty();
  }

  /** The field names, in the struct's order; those of a map are sorted by name. */
  List<String> names();

  /** A field's value; null if the field is null or missing. */
  Object value(String name);

  /** A field's schema; null if there are no schemas. */
  Schema schema(String name);

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
  }
}
