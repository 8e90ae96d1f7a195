package dev.sluice.connect.fields;

import java.util.List;
import org.apache.kafka.connect.data.Schema;

/** The fields that were read from a record's bytes. Immutable. */
public final class ReadFields implements FieldValues {
  private final FieldLayout layout;
  private final Object[] values;

  /**
   * @param values in the layout's order; owned by this object from now on
   */
  public ReadFields(FieldLayout layout, Object[] values) {
    this.layout = layout;
    this.values = values;
  }

  @Override
  public List<String> names() {
    return layout.names();
  }

  @Override
  public Object value(String name) {
    int index = layout.indexOf(name);
    return index < 0 ? null : values[index];
  }

  /** The value of a field by its index in {@link #names}. */
  public Object value(int index) {
    return values[index];
  }

  @Override
  public Schema schema(String name) {
    return layout.schemaOf(name);
  }

  @Override
  public boolean hasSchemas() {
    return layout.hasSchemas();
  }

  /** The layout, which is compared by identity. */
  @Override
  public Object shape() {
    return layout;
  }
}
