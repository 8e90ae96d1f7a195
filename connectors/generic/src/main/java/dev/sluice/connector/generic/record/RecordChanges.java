package dev.sluice.connector.generic.record;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.envelope.UnchangedValue;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Makes changes of the journal from Debezium's events. Debezium writes a changed key as a delete of
 * the old one and an insert of the new one; here it is one update, so that a value which the log
 * does not repeat stays as it is. Owned by one thread.
 */
public final class RecordChanges {
  private static final String NEW_KEY = "__debezium.newkey";
  private static final String OLD_KEY = "__debezium.oldkey";
  private static final Pattern RENAME = Pattern.compile("\\brename\\b");

  private final Map<TableId, RecordRows> tables = new HashMap<>();

  /** The delete of an old key, whose insert has not come yet; else null. */
  private RowChange held;

  /**
   * @param catalog the captured tables; each has a key
   * @param unchanged recognizes Debezium's placeholder of a value that the log does not repeat
   */
  public RecordChanges(SourceCatalog catalog, UnchangedValue unchanged) {
    for (CatalogTable table : catalog.published()) {
      if (!table.hasKey()) {
        throw RecordRows.refused(
            table.table(),
            "it has no primary key",
            "a primary key",
            "Leave the table out of the task: source.type debezium replicates tables with a primary"
                + " key only");
      }
      tables.put(table.table(), new RecordRows(table, unchanged));
    }
  }

  /** The change of an event; empty if its table is not captured, or the change goes on. */
  Optional<ChangeEvent> of(TableId table, SourceRecord record, Struct value) {
    RecordRows rows = tables.get(table);
    // Debezium compares names of tables without regard to case, and may send others.
    return rows == null ? Optional.empty() : of(table, rows, record, value);
  }

  private Optional<ChangeEvent> of(
      TableId table, RecordRows rows, SourceRecord record, Struct value) {
    String op = value.getString("op");
    if (held != null) {
      return Optional.of(changedKey(table, rows, record, value, op));
    }
    switch (op) {
      case "r", "c":
        Struct inserted = value.getStruct("after");
        return Optional.of(new RowChange(rows.schema(inserted), null, rows.row(inserted, false)));
      case "u":
        Struct after = value.getStruct("after");
        var schema = rows.schema(after);
        return Optional.of(
            new RowChange(schema, rows.match(keyOf(table, record)), rows.row(after, true)));
      case "d":
        var ofOld = rows.schema(value.getStruct("before"));
        RowChange delete = new RowChange(ofOld, rows.match(keyOf(table, record)), null);
        if (record.headers().lastWithName(NEW_KEY) != null) {
          held = delete;
          return Optional.empty();
        }
        return Optional.of(delete);
      case "t":
        return Optional.of(new Truncate(List.of(new Emptied(table, null))));
      default:
        throw RecordRows.refused(table, "an event with the operation " + op, "c, u, d, r or t", "");
    }
  }

  private RowChange changedKey(
      TableId table, RecordRows rows, SourceRecord record, Struct value, String op) {
    if (!op.equals("c")
        || record.headers().lastWithName(OLD_KEY) == null
        || !held.schema().table().equals(table)) {
      throw RecordRows.refused(
          held.schema().table(),
          "the delete of an old key is followed by operation %s of table %s".formatted(op, table),
          "the insert of the new key",
          "");
    }
    Row match = held.match();
    held = null;
    Struct after = value.getStruct("after");
    return new RowChange(rows.schema(after), match, rows.row(after, true));
  }

  /** Called at a transaction's end. */
  void requireNothingHeld() {
    if (held != null) {
      throw RecordRows.refused(
          held.schema().table(),
          "a transaction ends after the delete of an old key",
          "the insert of the new key",
          "");
    }
  }

  /**
   * The first captured table that a record of a changed definition is about: that it names, or, as
   * it names a renamed table by its new name only, whose name is in a statement that renames.
   */
  Optional<TableId> alteredBy(Struct definition) {
    List<Struct> found = definition.getArray("tableChanges");
    List<String> named =
        found == null
            ? List.of()
            : found.stream()
                .map(each -> each.getString("id").replaceAll("[\"`]", "").toLowerCase(Locale.ROOT))
                .toList();
    String ddl = String.valueOf(definition.getString("ddl")).toLowerCase(Locale.ROOT);
    boolean renames = RENAME.matcher(ddl).find();
    return tables.keySet().stream()
        .filter(
            table -> {
              String bare = table.name().toLowerCase(Locale.ROOT);
              String full = table.schema().toLowerCase(Locale.ROOT) + "." + bare;
              return named.stream().anyMatch(id -> id.equals(full) || id.endsWith("." + full))
                  || renames && ddl.contains(bare);
            })
        .findFirst();
  }

  private static Struct keyOf(TableId table, SourceRecord record) {
    if (record.key() instanceof Struct key) {
      return key;
    }
    throw RecordRows.refused(table, "a change without a key", "the primary key", "");
  }
}
