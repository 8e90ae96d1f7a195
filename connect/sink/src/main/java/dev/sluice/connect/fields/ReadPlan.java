package dev.sluice.connect.fields;

import java.util.List;
import java.util.Set;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;

/**
 * Which fields of a struct are read from its bytes: all of a row or a key, and of an event's
 * envelope those that matter to the target. Immutable.
 */
public final class ReadPlan {
  private static final Set<String> OF_SOURCE =
      Set.of("schema", "table", "lsn", "snapshot", "sequence");
  private static final Set<String> OF_TRANSACTION = Set.of("id", "total_order");
  private static final Set<String> NOT_OF_EVENTS = Set.of("ts_us", "ts_ns");
  private static final Set<String> ROWS = Set.of("before", "after");

  private final FieldLayout layout;
  private final List<Field> fields;
  private final boolean[] skipped;
  private final ReadPlan[] nested;

  private ReadPlan(FieldLayout layout, Schema struct) {
    this.layout = layout;
    this.fields = struct.fields();
    this.skipped = new boolean[fields.size()];
    this.nested = new ReadPlan[fields.size()];
  }

  /** The plan for a record's key or value, which is a struct. */
  public static ReadPlan of(Schema struct) {
    ReadPlan plan = new ReadPlan(FieldLayout.of(struct), struct);
    if (isStruct(struct.field("source")) && struct.field("op") != null) {
      plan.planEvent();
    }
    return plan;
  }

  public FieldLayout layout() {
    return layout;
  }

  public int size() {
    return fields.size();
  }

  public String name(int index) {
    return fields.get(index).name();
  }

  public Schema schema(int index) {
    return fields.get(index).schema();
  }

  /** True if the field's value is not needed. */
  public boolean skips(int index) {
    return skipped[index];
  }

  /** The plan for a field's own fields; null if the field's value is read as Connect has it. */
  public ReadPlan nested(int index) {
    return nested[index];
  }

  private void planEvent() {
    ReadPlan row = null;
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      skipped[i] = NOT_OF_EVENTS.contains(field.name());
      if (!isStruct(field)) {
        continue;
      }
      if (ROWS.contains(field.name())) {
        // Both rows have one layout where they have one schema, so that they have one shape.
        row =
            row != null && fields.get(i - 1).schema().equals(field.schema())
                ? row
                : new ReadPlan(FieldLayout.of(field.schema()), field.schema());
        nested[i] = row;
      } else if (field.name().equals("source")) {
        nested[i] = only(field.schema(), OF_SOURCE);
      } else if (field.name().equals("transaction")) {
        nested[i] = only(field.schema(), OF_TRANSACTION);
      }
    }
  }

  private static ReadPlan only(Schema struct, Set<String> names) {
    ReadPlan plan = new ReadPlan(FieldLayout.of(struct), struct);
    for (int i = 0; i < plan.skipped.length; i++) {
      plan.skipped[i] = !names.contains(plan.name(i));
    }
    return plan;
  }

  private static boolean isStruct(Field field) {
    return field != null && field.schema().type() == Schema.Type.STRUCT;
  }
}
