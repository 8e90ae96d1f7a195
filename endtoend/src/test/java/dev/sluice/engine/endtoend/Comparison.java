package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Compares tables on two servers row by row, with repeats, by every column's text. */
final class Comparison {
  private Comparison() {}

  static void assertEqual(Connection source, Connection target, List<TableId> tables)
      throws SQLException {
    for (TableId table : tables) {
      assertThat(rows(target, table)).as("rows of %s", table).isEqualTo(rows(source, table));
    }
  }

  static List<TableId> tables(Connection connection, String schema) throws SQLException {
    return texts(
            connection,
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = '"
                + schema
                + "'::regnamespace ORDER BY 1")
        .stream()
        .map(name -> new TableId(schema, name))
        .toList();
  }

  /** Each table with its columns in order, their types, and the columns of its primary key. */
  static List<String> definitions(Connection connection, String schema) throws SQLException {
    return texts(
        connection,
        """
        SELECT format('%%s %%s', c.relname, string_agg(format('%%s:%%s:%%s', a.attname,
                 format_type(a.atttypid, a.atttypmod), a.attnotnull), ' ' ORDER BY a.attnum))
               || coalesce((SELECT pg_get_constraintdef(oid) FROM pg_constraint
                            WHERE conrelid = c.oid AND contype = 'p'), '')
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
          AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = '%s'::regnamespace
        GROUP BY c.oid, c.relname ORDER BY 1
        """
            .formatted(schema));
  }

  private static List<String> rows(Connection connection, TableId table) throws SQLException {
    return texts(
        connection, "SELECT t::text FROM " + table.quoted() + " t ORDER BY t::text COLLATE \"C\"");
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows;
  }
}
