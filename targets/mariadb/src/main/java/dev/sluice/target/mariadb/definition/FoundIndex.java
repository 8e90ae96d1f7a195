package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** An index of an existing table. Immutable. */
record FoundIndex(String name, boolean unique, List<String> columns) {
  private static final String INDEXES =
      "SELECT INDEX_NAME, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY INDEX_NAME, SEQ_IN_INDEX";

  /** Stands for an indexed expression. */
  private static final String EXPRESSION = "";

  FoundIndex {
    columns = List.copyOf(columns);
  }

  static List<FoundIndex> read(TargetConnection connection, TableId table) throws SQLException {
    Map<String, Boolean> unique = new LinkedHashMap<>();
    Map<String, List<String>> columns = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(INDEXES)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          unique.put(row.getString(1), row.getInt(2) == 0);
          columns
              .computeIfAbsent(row.getString(1), name -> new ArrayList<>())
              .add(Objects.requireNonNullElse(row.getString(3), EXPRESSION));
        }
      }
    }
    return columns.entrySet().stream()
        .map(index -> new FoundIndex(index.getKey(), unique.get(index.getKey()), index.getValue()))
        .toList();
  }
}
