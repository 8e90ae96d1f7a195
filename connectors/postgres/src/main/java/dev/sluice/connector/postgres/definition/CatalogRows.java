package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Queries the catalog for one object at a time. Owned by the thread that owns the connection. */
final class CatalogRows {
  private static final Pattern PARAMETER = Pattern.compile("?::int8", Pattern.LITERAL);

  private final Connection connection;

  CatalogRows(Connection connection) {
    this.connection = connection;
  }

  /** The oid of a table or view; empty if there is none of that name. */
  Optional<Long> tableOid(TableId table) throws SQLException {
    String sql =
        "SELECT c.oid::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p', 'v', 'm')";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(rows.getLong(1)) : Optional.empty();
      }
    }
  }

  /**
   * The rows of a query with every value as text, null for NULL.
   *
   * @param sql with any number of the same parameter, the object's oid, as {@code ?::int8}
   */
  List<String[]> of(String sql, long oid) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      // Asking the driver for their number would ask the server each time.
      int parameters = (int) PARAMETER.matcher(sql).results().count();
      for (int i = 1; i <= parameters; i++) {
        statement.setLong(i, oid);
      }
      try (ResultSet rows = statement.executeQuery()) {
        int columns = rows.getMetaData().getColumnCount();
        List<String[]> found = new ArrayList<>();
        while (rows.next()) {
          String[] row = new String[columns];
          for (int i = 0; i < columns; i++) {
            row[i] = rows.getString(i + 1);
          }
          found.add(row);
        }
        return found;
      }
    }
  }
}
