package dev.sluice.connector.debezium;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * Makes row changes of the envelopes of one table in one shape. Of the old row only the key columns
 * are believed, unless the log has whole old rows. Owned by the capture's thread.
 */
final class RowMapper {
  private final SourceTable table;
  private final RowSchema schema;
  private final String[] names;
  private final int[] key;
  private final RowBuilder builder = new RowBuilder(256);

  /**
   * @param table what the source's catalog says now; may have fewer columns than the older rows
   *     that are being read
   * @param rows the shape of the envelope's rows
   */
  RowMapper(SourceTable table, Schema rows) {
    this.table = table;
    this.names = rows.fields().stream().map(Field::name).toArray(String[]::new);
    this.schema = new RowSchema(table.root(), columns(table, rows));
    this.key = schema.key();
    requireKey();
  }

  TableId table() {
    return table.table();
  }

  RowSchema schema() {
    return schema;
  }

  RowChange insert(Struct after) {
    return new RowChange(schema, null, row(after));
  }

  /** An update; {@code before} is null where the log has no old row because the key is the same. */
  RowChange update(Struct before, Struct after) {
    Row row = row(after);
    if (before != null) {
      return new RowChange(schema, match(before), row);
    }
    if (key.length == 0) {
      throw withoutOldRow("UPDATE");
    }
    return new RowChange(schema, schema.matchOf(row), row);
  }

  RowChange delete(Struct before) {
    if (before == null) {
      throw withoutOldRow("DELETE");
    }
    return new RowChange(schema, match(before), null);
  }

  private Row match(Struct before) {
    if (key.length == 0) {
      if (!table.wholeRowsLogged()) {
        throw withoutOldRow("UPDATE or DELETE");
      }
      return row(before);
    }
    for (int index : key) {
      add(before, index);
    }
    return builder.build();
  }

  private Row row(Struct values) {
    for (int i = 0; i < names.length; i++) {
      add(values, i);
    }
    return builder.build();
  }

  private void add(Struct values, int index) {
    String text = (String) values.getWithoutDefault(names[index]);
    if (text == UnchangedValue.MARK) {
      builder.addUnchanged();
    } else {
      builder.add(text);
    }
  }

  private static List<Column> columns(SourceTable table, Schema rows) {
    Map<String, Column> known = new HashMap<>();
    table.columns().forEach(column -> known.put(column.name(), column));
    List<Column> columns = new ArrayList<>();
    for (Field field : rows.fields()) {
      Column column = known.get(field.name());
      columns.add(column != null ? column : droppedSince(field));
    }
    return columns;
  }

  private static Column droppedSince(Field field) {
    Map<String, String> parameters = field.schema().parameters();
    String type = parameters == null ? null : parameters.get(TextConverter.TYPE);
    return new Column(field.name(), type == null ? "text" : type, true, false);
  }

  private void requireKey() {
    long wanted = table.columns().stream().filter(Column::key).count();
    if (wanted != key.length) {
      throw new SluiceException.Fatal(
          "table %s: its key is now %s, but the log's rows have the columns %s only; the key was changed while changes waited to be read"
              .formatted(
                  table.table(),
                  table.columns().stream().filter(Column::key).map(Column::name).toList(),
                  List.of(names)),
          null);
    }
  }

  private SluiceException withoutOldRow(String operation) {
    return new SluiceException.Fatal(
        "table %s: an %s came without the old row, and the table has no key; run ALTER TABLE %s REPLICA IDENTITY FULL and load the table again"
            .formatted(table.table(), operation, table.table().quoted()),
        null);
  }
}
