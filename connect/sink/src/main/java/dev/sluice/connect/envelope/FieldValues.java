package dev.sluice.connect.envelope;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * The fields of one object of a record: of a Connect struct, or of a map where the converter knows
 * no schemas. Immutable.
 */
sealed interface FieldValues {

  /** What a converter made, or empty where it is neither a struct nor a map. */
  static Optional<FieldValues> of(Object value) {
    if (value instanceof Struct struct) {
      return Optional.of(new OfStruct(struct));
    }
    return value instanceof Map<?, ?> map ? Optional.of(new OfMap(map)) : Optional.empty();
  }

  /** In the struct's order; those of a map, which has none, by name. */
  List<String> names();

  /** Null where the field is null or not there. */
  Object value(String name);

  /** Null where there are no schemas. */
  Schema schema(String name);

  /** An object within this one; empty where it is null or not there. */
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

  /** Without the defaults of its fields, which stand in for an explicit NULL. */
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

  /** As JSON without schemas is read. */
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
