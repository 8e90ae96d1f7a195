package dev.sluice.sink.target.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/*
 * A COPY resolves the table's name once more after its types were read. ALTER SCHEMA RENAME takes no
 * lock on tables, so the name may belong to another table then. Each rename is an update of the
 * schema's row in the catalog and changes its xmin, also a rename that is undone. If the readings
 * before and after the COPY are equal, no schema got or lost the name between them, and the table,
 * which the COPY has locked, has the types for which its values were encoded.
 */
/**
 * The table that has a name, as one statement sees it. Immutable.
 *
 * @param oid its object id; zero if no table has the name
 * @param schemaVersion changes with each change of the schema's name, owner and privileges
 * @param types the object ids of its columns' types, by the columns' names
 */
record PresentTable(long oid, String schemaVersion, Map<String, Long> types) {
  /*
   * The server caches names. That its cache and the statement's snapshot have the same schema of
   * this name makes sure that the cache is not older.
   */
  private static final String READ =
      "SELECT a.attname::text, a.atttypid::int8, a.attrelid::int8, n.xmin::text"
          + " FROM pg_catalog.pg_attribute a"
          + " JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
          + " WHERE a.attrelid = pg_catalog.to_regclass(%s) AND n.nspname = %s"
          + " AND a.attnum > 0 AND NOT a.attisdropped";

  PresentTable {
    types = Map.copyOf(types);
  }

  /**
   * Reads it under the lock that an insert takes: whoever alters the table has committed, or waits.
   */
  static PresentTable lock(TargetConnection connection, TableId table) throws SQLException {
    return read(
        connection, "LOCK TABLE ONLY " + table.quoted() + " IN ROW EXCLUSIVE MODE; ", table);
  }

  /**
   * Requires that it is the table that was planned.
   *
   * @param planned the planned table's object id
   * @throws SluiceException.Retryable if it is another one: a new attempt plans again
   */
  void require(TableId table, long planned) {
    if (oid != planned) {
      throw new SluiceException.Retryable(
          "could not insert into %s: another table has this name now (object id %d, expected %d); it is planned again"
              .formatted(table, oid, planned),
          null);
    }
  }

  /**
   * Requires that nothing has changed since it was read.
   *
   * @throws SluiceException.Retryable if it has: what was copied must be rolled back
   */
  void requireUnchanged(TargetConnection connection, TableId table) throws SQLException {
    if (!equals(read(connection, "", table))) {
      throw new SluiceException.Retryable(
          "could not insert into %s: the table or its schema was renamed, replaced or altered meanwhile; it is planned again"
              .formatted(table),
          null);
    }
  }

  /** Each statement sees what is committed when it begins. */
  private static PresentTable read(TargetConnection connection, String before, TableId table)
      throws SQLException {
    String sql = before + READ.formatted(literal(table.quoted()), literal(table.schema()));
    long oid = 0;
    String schemaVersion = "";
    Map<String, Long> types = new HashMap<>();
    try (Statement statement = connection.jdbc().createStatement()) {
      boolean isResult = statement.execute(sql);
      while (!isResult && statement.getUpdateCount() >= 0) {
        isResult = statement.getMoreResults();
      }
      try (ResultSet row = statement.getResultSet()) {
        while (row.next()) {
          types.put(row.getString(1), row.getLong(2));
          oid = row.getLong(3);
          schemaVersion = row.getString(4);
        }
      }
    }
    return new PresentTable(oid, schemaVersion, types);
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
