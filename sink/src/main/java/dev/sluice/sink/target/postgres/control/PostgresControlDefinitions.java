package dev.sluice.sink.target.postgres.control;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import dev.sluice.sink.target.control.ControlType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Control tables on PostgreSQL. Stateless, threadsafe. */
public final class PostgresControlDefinitions implements ControlDefinitions {

  /** Marks a schema that Sluice created, so that it may be dropped with its last table. */
  private static final String OWN = "Made by Sluice for what its tasks remember";

  /*
   * A table by its names: to_regclass may still say that it is missing, from the session's cache,
   * after the session has waited for the one that created it.
   */
  private static final String TABLE =
      "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?) AND relname = ?"
          + " AND relkind IN ('r', 'p')";

  private static final String COLUMNS =
      "SELECT attname, atttypid::regtype::text FROM pg_attribute"
          + " WHERE attrelid = (SELECT oid FROM pg_class WHERE "
          + TABLE
          + ") AND attnum > 0 AND NOT attisdropped";

  private static final String OWN_AND_EMPTY =
      "SELECT 1 FROM pg_namespace n WHERE nspname = ? AND obj_description(oid, 'pg_namespace') = '"
          + OWN
          + "' AND pg_has_role(nspowner, 'USAGE') AND NOT EXISTS (SELECT FROM pg_depend d"
          + " WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid)";

  @Override
  public boolean hasTable(Connection session, TableId table) throws SQLException {
    return has(session, "SELECT 1 FROM pg_class WHERE " + TABLE, table.schema(), table.name());
  }

  @Override
  public List<String> create(TableId table, ControlShape shape) {
    List<String> parts =
        shape.columns().stream()
            .map(PostgresControlDefinitions::definition)
            .collect(Collectors.toCollection(ArrayList::new));
    parts.add("PRIMARY KEY (" + names(shape.key()) + ")");
    List<String> statements = new ArrayList<>();
    statements.add(
        "CREATE TABLE IF NOT EXISTS %s (%s)%s"
            .formatted(
                table.quoted(),
                String.join(", ", parts),
                shape.oftenUpdated() ? " WITH (fillfactor = 50)" : ""));
    if (!shape.index().isEmpty()) {
      statements.add("CREATE INDEX ON %s (%s)".formatted(table.quoted(), names(shape.index())));
    }
    return statements;
  }

  /**
   * Adds what an earlier version did not have, and renames what had another name. That version
   * stored positions as {@code pg_lsn}, which cannot hold those of another source.
   */
  @Override
  public List<String> renew(Connection session, TableId table, ControlShape shape)
      throws SQLException {
    Map<String, String> found = columns(session, table);
    if (found.isEmpty()) {
      return List.of();
    }
    List<String> statements = new ArrayList<>();
    List<String> actions = new ArrayList<>();
    for (ControlColumn column : shape.columns()) {
      String type = found.get(column.name());
      if (type == null && column.formerly().filter(found::containsKey).isPresent()) {
        statements.add(
            "ALTER TABLE %s RENAME COLUMN %s TO %s"
                .formatted(
                    table.quoted(),
                    TableId.quote(column.formerly().get()),
                    TableId.quote(column.name())));
      } else if (type == null) {
        actions.add("ADD COLUMN " + definition(column));
      } else if (column.type() == ControlType.POSITION && type.equals("pg_lsn")) {
        actions.add(
            "ALTER COLUMN %1$s TYPE text USING %1$s::text".formatted(TableId.quote(column.name())));
      }
    }
    if (!actions.isEmpty()) {
      statements.add("ALTER TABLE " + table.quoted() + " " + String.join(", ", actions));
    }
    return statements;
  }

  private static Map<String, String> columns(Connection session, TableId table)
      throws SQLException {
    Map<String, String> columns = new HashMap<>();
    try (PreparedStatement statement = session.prepareStatement(COLUMNS)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          columns.put(row.getString(1), row.getString(2));
        }
      }
    }
    return columns;
  }

  @Override
  public boolean hasSchema(Connection session, String schema) throws SQLException {
    return has(session, "SELECT 1 FROM pg_namespace WHERE nspname = ?", schema);
  }

  @Override
  public List<String> createSchema(String schema) {
    return List.of(
        "CREATE SCHEMA " + TableId.quote(schema),
        "COMMENT ON SCHEMA %s IS '%s'".formatted(TableId.quote(schema), OWN));
  }

  @Override
  public boolean isOwnAndEmpty(Connection session, String schema) throws SQLException {
    return has(session, OWN_AND_EMPTY, schema);
  }

  @Override
  public boolean dropIfEmpty(Connection session, List<TableId> tables, Optional<TableId> along)
      throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("LOCK TABLE " + quoted(tables) + " IN ACCESS EXCLUSIVE MODE");
      for (TableId table : tables) {
        try (ResultSet row =
            statement.executeQuery("SELECT 1 FROM " + table.quoted() + " LIMIT 1")) {
          if (row.next()) {
            return false;
          }
        }
      }
      List<TableId> dropped = new ArrayList<>(tables);
      along.ifPresent(dropped::add);
      statement.execute("DROP TABLE " + quoted(dropped));
      return true;
    }
  }

  private static String quoted(List<TableId> tables) {
    return tables.stream().map(TableId::quoted).collect(Collectors.joining(", "));
  }

  private static String definition(ControlColumn column) {
    return TableId.quote(column.name())
        + " "
        + type(column.type())
        + (column.required() ? " NOT NULL" : "")
        + column.value().map(value -> " DEFAULT " + value).orElse("");
  }

  static String type(ControlType type) {
    return switch (type) {
      case NAME, TEXT, LONG_TEXT, POSITION -> "text";
      case TEXTS -> "text[]";
      case JSON -> "json";
      case BYTES -> "bytea";
      case UUID -> "uuid";
      case INTEGER -> "integer";
      case LONG -> "bigint";
      case NUMBER -> "numeric";
      case BOOLEAN -> "boolean";
      case TIME -> "timestamptz";
      case ROW_TIME -> "timestamptz DEFAULT clock_timestamp()";
      case ROW_NUMBER -> "bigint GENERATED ALWAYS AS IDENTITY";
    };
  }

  private static String names(List<String> columns) {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }

  private static boolean has(Connection session, String question, String... names)
      throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(question)) {
      for (int i = 0; i < names.length; i++) {
        statement.setString(i + 1, names[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }
}
