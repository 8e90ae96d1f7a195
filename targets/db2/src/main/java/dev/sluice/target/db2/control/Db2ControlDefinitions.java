package dev.sluice.target.db2.control;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import dev.sluice.sink.target.control.ControlType;
import dev.sluice.target.db2.catalog.Db2Metadata;
import dev.sluice.target.db2.catalog.Db2ServerChecks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Control tables on Db2. Stateless, threadsafe. */
public final class Db2ControlDefinitions implements ControlDefinitions {
  /** The longest VARCHAR, in bytes. */
  static final int LONGEST_TEXT = 32_672;

  /** The table that marks a schema as created by Sluice: Derby has no comments on schemas. */
  private static final String MARK = Db2ServerChecks.MARK;

  @Override
  public boolean hasTable(Connection session, TableId table) throws SQLException {
    return Db2Metadata.hasTable(session, table);
  }

  @Override
  public List<String> create(TableId table, ControlShape shape) {
    List<String> parts =
        shape.columns().stream()
            .map(Db2ControlDefinitions::definition)
            .collect(Collectors.toCollection(ArrayList::new));
    parts.add("PRIMARY KEY (" + names(shape.key()) + ")");
    List<String> statements = new ArrayList<>();
    statements.add("CREATE TABLE %s (%s)".formatted(table.quoted(), String.join(", ", parts)));
    List<String> indexed = indexed(shape);
    if (!indexed.isEmpty()) {
      statements.add(
          "CREATE INDEX %s ON %s (%s)"
              .formatted(
                  new TableId(table.schema(), table.name() + "_index").quoted(),
                  table.quoted(),
                  names(indexed)));
    }
    return statements;
  }

  /** The columns without texts of any length, which are too long for an index. */
  private static List<String> indexed(ControlShape shape) {
    Set<String> texts =
        shape.columns().stream()
            .filter(column -> column.type() == ControlType.TEXT)
            .map(ControlColumn::name)
            .collect(Collectors.toSet());
    return shape.index().stream().filter(name -> !texts.contains(name)).toList();
  }

  /** Adds columns to a table that an earlier version created. No column was ever renamed on Db2. */
  @Override
  public List<String> renew(Connection session, TableId table, ControlShape shape)
      throws SQLException {
    Set<String> found = Db2Metadata.columns(session, table);
    if (found.isEmpty()) {
      return List.of();
    }
    return shape.columns().stream()
        .filter(column -> !found.contains(column.name()))
        .map(column -> "ALTER TABLE %s ADD COLUMN %s".formatted(table.quoted(), definition(column)))
        .toList();
  }

  @Override
  public boolean hasSchema(Connection session, String schema) throws SQLException {
    return Db2Metadata.hasSchema(session, schema);
  }

  @Override
  public List<String> createSchema(String schema) {
    return List.of(
        "CREATE SCHEMA " + TableId.quote(schema),
        "CREATE TABLE %s (n INTEGER)".formatted(new TableId(schema, MARK).quoted()));
  }

  @Override
  public List<String> dropSchema(String schema) {
    return List.of(
        "DROP TABLE " + new TableId(schema, MARK).quoted(),
        "DROP SCHEMA " + TableId.quote(schema) + " RESTRICT");
  }

  @Override
  public boolean isOwnAndEmpty(Connection session, String schema) throws SQLException {
    return Db2Metadata.tables(session, schema).equals(Set.of(MARK));
  }

  @Override
  public boolean dropIfEmpty(Connection session, List<TableId> tables, Optional<TableId> along)
      throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (TableId table : tables) {
        statement.execute("LOCK TABLE " + table.quoted() + " IN EXCLUSIVE MODE");
      }
      for (TableId table : tables) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT 1 FROM " + table.quoted() + " FETCH FIRST 1 ROWS ONLY")) {
          if (row.next()) {
            return false;
          }
        }
      }
      List<TableId> dropped = new ArrayList<>(tables);
      along.ifPresent(dropped::add);
      for (TableId table : dropped) {
        statement.execute("DROP TABLE " + table.quoted());
      }
      return true;
    }
  }

  private static String definition(ControlColumn column) {
    return TableId.quote(column.name())
        + " "
        + type(column.type())
        + column.value().map(value -> " DEFAULT " + value).orElse("")
        + switch (column.type()) {
          case ROW_TIME -> " DEFAULT CURRENT_TIMESTAMP";
          case ROW_NUMBER -> " GENERATED ALWAYS AS IDENTITY";
          default -> "";
        }
        + (column.required() ? " NOT NULL" : "");
  }

  /** Not a large object, since these texts are compared. */
  private static String type(ControlType type) {
    return switch (type) {
      case NAME -> "VARCHAR(250)";
      case POSITION -> "VARCHAR(64)";
      case TEXT -> "VARCHAR(" + LONGEST_TEXT + ")";
      case LONG_TEXT, TEXTS, JSON -> "CLOB(16M)";
      case BYTES -> "BLOB(16M)";
      case UUID -> "CHAR(36)";
      case INTEGER -> "INTEGER";
      case LONG, ROW_NUMBER -> "BIGINT";
      case NUMBER -> "DECIMAL(31, 6)";
      case BOOLEAN -> "BOOLEAN";
      case TIME, ROW_TIME -> "TIMESTAMP";
    };
  }

  private static String names(List<String> columns) {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }
}
