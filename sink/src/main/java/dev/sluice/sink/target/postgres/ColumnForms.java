package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * The server reads a binary value by the type that the column has when the COPY begins. A type that
 * was read before may have changed: a bigint is then read as a numeric, 5 as 0, without an error.
 */
/** The binary forms of a table's columns, by the types that they have at present. Stateless. */
final class ColumnForms {
  private static final String TYPES_OF_STAGED =
      "SELECT attname::text, atttypid::int8 FROM pg_catalog.pg_attribute"
          + " WHERE attrelid = CAST('%s' AS pg_catalog.regclass)"
          + " AND attnum > 0 AND NOT attisdropped";

  /** The type of staged ordinals and numbers of copies. */
  private static final long INT8 = 20;

  /** The type of staged masks. */
  private static final long VARBIT = 1562;

  private ColumnForms() {}

  /** The forms of a table's written columns; empty if not all have one. */
  static Optional<List<BinaryForm>> ofWritten(MappedTable table, PresentTable present) {
    List<BinaryForm> forms = new ArrayList<>();
    for (int source : table.written()) {
      Long type = present.types().get(table.column(source).name());
      Optional<BinaryForm> form = type == null ? Optional.empty() : BinaryForm.of(type);
      if (form.isEmpty()) {
        return Optional.empty();
      }
      forms.add(form.get());
    }
    return Optional.of(forms);
  }

  /** The forms of a temporary table's columns, which only its own session can alter. */
  static Optional<List<BinaryForm>> ofStaged(
      TargetConnection connection, String table, List<StagedColumn> columns) throws SQLException {
    Map<String, Long> types = typesOfStaged(connection, table);
    List<BinaryForm> forms = new ArrayList<>();
    for (StagedColumn column : columns) {
      Long type = types.get(column.name());
      Optional<BinaryForm> form = type == null ? Optional.empty() : ofStaged(column, type);
      if (form.isEmpty()) {
        return Optional.empty();
      }
      forms.add(form.get());
    }
    return Optional.of(forms);
  }

  private static Optional<BinaryForm> ofStaged(StagedColumn column, long type) {
    return switch (column.kind()) {
      case NUMBER -> type == INT8 ? Optional.of(BinaryForm.INT8) : Optional.empty();
      case BITS -> type == VARBIT ? Optional.of(BinaryForm.VARBIT) : Optional.empty();
      case VALUE, KEY -> BinaryForm.of(type);
    };
  }

  private static Map<String, Long> typesOfStaged(TargetConnection connection, String table)
      throws SQLException {
    Map<String, Long> types = new HashMap<>();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(TYPES_OF_STAGED.formatted(table.replace("'", "''")))) {
      while (row.next()) {
        types.put(row.getString(1), row.getLong(2));
      }
    }
    return types;
  }
}
