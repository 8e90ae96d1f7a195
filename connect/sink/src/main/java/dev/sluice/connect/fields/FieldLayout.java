package dev.sluice.connect.fields;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;

/**
 * The names and schemas of an object's fields. A reader of bytes has one for all objects of the
 * same schema. Immutable.
 */
public final class FieldLayout {
  private final Schema schema;
  private final List<String> names;
  private final Map<String, Integer> indexes = new HashMap<>();

  private FieldLayout(Schema schema, List<String> names) {
    this.schema = schema;
    this.names = List.copyOf(names);
    for (int i = 0; i < names.size(); i++) {
      indexes.put(names.get(i), i);
    }
  }

  /** The layout of a struct. */
  public static FieldLayout of(Schema struct) {
    return new FieldLayout(struct, struct.fields().stream().map(Field::name).toList());
  }

  /**
   * The layout of an object without a schema.
   *
   * @param sorted its names, each once
   */
  public static FieldLayout of(List<String> sorted) {
    return new FieldLayout(null, sorted);
  }

  public List<String> names() {
    return names;
  }

  /** A field's index; -1 if there is none of that name. */
  int indexOf(String name) {
    Integer index = indexes.get(name);
    return index == null ? -1 : index;
  }

  boolean hasSchemas() {
    return schema != null;
  }

  Schema schemaOf(String name) {
    Field field = schema == null ? null : schema.field(name);
    return field == null ? null : field.schema();
  }
}
