package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and changes definitions of PostgreSQL tables inside the open transaction. Owned by the
 * connection's thread.
 */
public final class PostgresDefinitions implements TargetDefinitions {
  private static final String INVALID_VALUE = "22023";

  private static final String TABLE =
      """
      SELECT c.relkind = 'p', pn.nspname, p.relname, k.conname,
             CASE WHEN k.condeferred THEN 'DEFERRED' WHEN k.condeferrable THEN 'DEFERRABLE'
               ELSE 'AT_ONCE' END,
             array(SELECT a.attname::text
                   FROM unnest(k.conkey) WITH ORDINALITY o (attnum, place)
                   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.attnum
                   ORDER BY o.place)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND c.relispartition
      LEFT JOIN pg_class p ON p.oid = i.inhparent
      LEFT JOIN pg_namespace pn ON pn.oid = p.relnamespace
      LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
      WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')
      """;

  private static final String INHERITS =
      """
      SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE NOT c.relispartition AND i.inhrelid = to_regclass(?::text)
        AND i.inhparent = to_regclass(?::text)
      """;

  private static final String COLUMNS =
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated <> ''
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ?::text AND c.relname = ?::text AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """;

  /** The columns that the target fills by itself, with their default. */
  private static final String FILLED =
      """
      SELECT attname, filled FROM (
        SELECT a.attnum, a.attname, CASE WHEN a.attidentity <> '' THEN 'an identity'
          ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), pg_get_expr(t.typdefaultbin, 0)) END AS filled
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = to_regclass(?) AND a.attname = ANY (?::name[])
          AND a.attgenerated = '' AND NOT a.attisdropped) AS kept
      WHERE filled !~ '^NULL(::|$)'
      ORDER BY attnum
      """;

  private final TargetConnection connection;

  public PostgresDefinitions(TargetConnection connection) {
    this.connection = connection;
  }

  @Override
  public Optional<Found> find(TableId table) throws SQLException {
    List<FoundColumn> columns = columns(table);
    try (PreparedStatement statement = connection.jdbc().prepareStatement(TABLE)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        TableId parent =
            row.getString(3) == null ? null : new TableId(row.getString(2), row.getString(3));
        return Optional.of(
            new Found(
                table,
                row.getBoolean(1),
                parent,
                row.getString(4) == null ? null : key(row),
                columns));
      }
    }
  }

  private static FoundKey key(ResultSet row) throws SQLException {
    return new FoundKey(
        row.getString(4),
        Arrays.asList((String[]) row.getArray(6).getArray()),
        Checked.valueOf(row.getString(5)));
  }

  private List<FoundColumn> columns(TableId table) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(COLUMNS)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        List<FoundColumn> columns = new ArrayList<>();
        while (rows.next()) {
          columns.add(
              new FoundColumn(
                  rows.getString(1), rows.getString(2), rows.getBoolean(3), rows.getBoolean(4)));
        }
        return columns;
      }
    }
  }

  /** Whether a table inherits from the other without being its partition. */
  @Override
  public boolean inherits(TableId table, TableId parent) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(INHERITS)) {
      statement.setString(1, table.quoted());
      statement.setString(2, parent.quoted());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  @Override
  public boolean hasRows(TableId table) throws SQLException {
    return find(table).isPresent()
        && connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1");
  }

  /** Creates the schema if it is missing. */
  @Override
  public void makeSchema(String schema) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT 1 FROM pg_namespace WHERE nspname = ?")) {
      statement.setString(1, schema);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          return;
        }
      }
    }
    connection.execute("CREATE SCHEMA " + TableId.quote(schema));
  }

  /**
   * Runs DDL with these settings, and restores the current ones afterwards. All of it is one SQL
   * statement: the server reports settings to the driver at a statement's end, and the driver
   * closes the connection if the DateStyle is one it cannot read.
   *
   * @throws SluiceException.Data if the server rejects one of the values
   */
  @Override
  public void runUnder(Map<String, String> settings, List<String> statements) throws SQLException {
    List<String> set = new ArrayList<>();
    List<String> back = new ArrayList<>();
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      set.add(setting(setting.getKey(), setting.getValue()));
      back.add(setting(setting.getKey(), current(setting.getKey())));
    }
    List<String> body = new ArrayList<>(set);
    statements.forEach(statement -> body.add("EXECUTE " + literal(statement) + ";"));
    body.addAll(back);
    requireKnown(settings, set);
    connection.execute("DO " + block(body));
  }

  @Override
  public Map<String, Filled> filled(TableId table, List<String> columns) throws SQLException {
    Map<String, Filled> found = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(FILLED)) {
      statement.setString(1, table.quoted());
      statement.setArray(2, connection.jdbc().createArrayOf("text", columns.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String column = rows.getString(1);
          String by = rows.getString(2);
          found.put(column, new Filled(by, emptying(table, column, by.equals("an identity"))));
        }
      }
    }
    return found;
  }

  private static String emptying(TableId table, String column, boolean identity) {
    return "ALTER TABLE %1$s ALTER COLUMN %2$s %3$s, ALTER COLUMN %2$s DROP NOT NULL"
        .formatted(
            table.quoted(), TableId.quote(column), identity ? "DROP IDENTITY" : "SET DEFAULT NULL");
  }

  /** Tries the settings alone, since the DDL itself can fail with the same SQLSTATE. */
  private void requireKnown(Map<String, String> settings, List<String> set) throws SQLException {
    List<String> tried = new ArrayList<>(set);
    // The exception rolls the settings back.
    tried.add("RAISE SQLSTATE 'SLUIC';");
    String attempt =
        "BEGIN %s EXCEPTION WHEN SQLSTATE 'SLUIC' THEN NULL; END;"
            .formatted(String.join(" ", tried));
    try {
      connection.execute("DO " + block(List.of(attempt)));
    } catch (SQLException e) {
      if (INVALID_VALUE.equals(e.getSQLState())) {
        throw new SluiceException.Data(
            "the table was altered in a session with settings that the target rejects (%s): %s; load the table again"
                .formatted(settings, e.getMessage().replaceAll("\\s*\\n\\s*", "; ")),
            e);
      }
      throw e;
    }
  }

  private static String setting(String name, String value) {
    return "PERFORM pg_catalog.set_config(%s, %s, true);".formatted(literal(name), literal(value));
  }

  private static String block(List<String> statements) {
    return literal("BEGIN " + String.join(" ", statements) + " END");
  }

  private static String literal(String text) {
    String quoted = "'" + text.replace("'", "''") + "'";
    return text.contains("\\") ? " E" + quoted.replace("\\", "\\\\") : quoted;
  }

  private String current(String name) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT current_setting(?::text)")) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
