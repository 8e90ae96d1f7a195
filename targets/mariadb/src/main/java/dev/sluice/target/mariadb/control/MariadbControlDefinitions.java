package dev.sluice.target.mariadb.control;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import dev.sluice.sink.target.control.ControlType;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.catalog.TableRights;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Control tables on MariaDB or MySQL, where each DDL statement commits at once. Stateless,
 * threadsafe.
 */
public final class MariadbControlDefinitions implements ControlDefinitions {

  /** Marks a database that Sluice created, so that it may be dropped with its last table. */
  private static final String OWN = "Made by Sluice for what its tasks remember";

  private static final int LONGEST_NAME = 250;
  private static final int LONGEST_KEY = 750;
  private static final int INDEXED_CHARACTERS = 100;

  private static final Set<ControlType> TEXTS =
      Set.of(ControlType.NAME, ControlType.TEXT, ControlType.POSITION);

  private static final String TABLE =
      "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

  private static final String COLUMNS =
      "SELECT COLUMN_NAME FROM information_schema.COLUMNS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

  private static final String SCHEMA =
      "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";

  /** Databases of MySQL have no comment, so this table is the mark there. */
  private static final String MARK = "sluice_made_this_database";

  private static final String COMMENTED_AND_EMPTY =
      " AND SCHEMA_COMMENT = '"
          + OWN
          + "' AND NOT EXISTS (SELECT 1 FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = SCHEMA_NAME)";

  private static final String ONLY_THE_MARK =
      " AND (SELECT GROUP_CONCAT(CONCAT(TABLE_NAME, ' ', TABLE_COMMENT))"
          + " FROM information_schema.TABLES WHERE TABLE_SCHEMA = SCHEMA_NAME) = '"
          + MARK
          + " "
          + OWN
          + "'";

  private static final String OWN_SCHEMA =
      "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";

  private static final String NO_CODE =
      " AND NOT EXISTS (SELECT 1 FROM information_schema.ROUTINES"
          + " WHERE ROUTINE_SCHEMA = SCHEMA_NAME)"
          + " AND NOT EXISTS (SELECT 1 FROM information_schema.EVENTS"
          + " WHERE EVENT_SCHEMA = SCHEMA_NAME)";

  private final ServerKind server;

  public MariadbControlDefinitions(ServerKind server) {
    this.server = server;
  }

  @Override
  public boolean hasTable(Connection session, TableId table) throws SQLException {
    return names(session, TABLE, table.schema(), table.name()).contains(table.name());
  }

  @Override
  public List<String> create(TableId table, ControlShape shape) {
    int length = nameLength(shape);
    List<String> parts =
        shape.columns().stream()
            .map(column -> definition(column, length))
            .collect(Collectors.toCollection(ArrayList::new));
    parts.add("PRIMARY KEY (" + names(shape.key()) + ")");
    if (!shape.index().isEmpty()) {
      parts.add(
          shape.index().stream()
              .map(name -> TableId.quote(name) + prefix(shape, name))
              .collect(Collectors.joining(", ", "KEY (", ")")));
    }
    shape.columns().stream()
        .filter(column -> column.type() == ControlType.ROW_NUMBER)
        .filter(column -> !shape.key().get(0).equals(column.name()))
        .forEach(column -> parts.add("KEY (" + TableId.quote(column.name()) + ")"));
    return List.of(
        "CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = %s"
            .formatted(table.quoted(), String.join(", ", parts), server.binaryCollation()));
  }

  @Override
  public void requireSight(Connection session, TableId table) throws SQLException {
    if (!TableRights.granted(session, table.schema(), table.name()).contains("SELECT")) {
      throw new SQLException(
          "the server does not show this user whether %s is there. Run: GRANT SELECT ON %s.* TO the user of target.url"
              .formatted(table, Shown.name(table.schema())),
          "42000");
    }
  }

  /** Adds and renames columns of a table that an earlier version created. */
  @Override
  public List<String> renew(Connection session, TableId table, ControlShape shape)
      throws SQLException {
    Set<String> found = names(session, COLUMNS, table.schema(), table.name());
    if (found.isEmpty()) {
      return List.of();
    }
    List<String> actions = new ArrayList<>();
    for (ControlColumn column : shape.columns()) {
      if (found.contains(column.name())) {
        continue;
      }
      actions.add(
          column.formerly().filter(found::contains).isPresent()
              ? "RENAME COLUMN %s TO %s"
                  .formatted(TableId.quote(column.formerly().get()), TableId.quote(column.name()))
              : "ADD COLUMN " + definition(column, nameLength(shape)));
    }
    return actions.isEmpty()
        ? List.of()
        : List.of("ALTER TABLE " + table.quoted() + " " + String.join(", ", actions));
  }

  @Override
  public boolean hasSchema(Connection session, String schema) throws SQLException {
    return names(session, SCHEMA, schema).contains(schema);
  }

  @Override
  public List<String> createSchema(String schema) {
    String create =
        "CREATE DATABASE %s CHARACTER SET utf8mb4 COLLATE %s"
            .formatted(TableId.quote(schema), server.binaryCollation());
    return server == ServerKind.MARIADB
        ? List.of("%s COMMENT '%s'".formatted(create, OWN))
        : List.of(
            create,
            "CREATE TABLE %s (n int PRIMARY KEY) ENGINE = InnoDB COMMENT = '%s'"
                .formatted(new TableId(schema, MARK).quoted(), OWN));
  }

  @Override
  public boolean isOwnAndEmpty(Connection session, String schema) throws SQLException {
    String empty = server == ServerKind.MARIADB ? COMMENTED_AND_EMPTY : ONLY_THE_MARK;
    return names(session, OWN_SCHEMA + empty + NO_CODE, schema).contains(schema);
  }

  @Override
  public boolean dropIfEmpty(Connection session, List<TableId> tables, Optional<TableId> along)
      throws SQLException {
    List<TableId> dropped = new ArrayList<>(tables);
    along.ifPresent(dropped::add);
    try (Statement statement = session.createStatement()) {
      statement.execute(
          dropped.stream()
              .map(table -> table.quoted() + " WRITE")
              .collect(Collectors.joining(", ", "LOCK TABLES ", "")));
      try {
        for (TableId table : tables) {
          try (ResultSet row =
              statement.executeQuery("SELECT 1 FROM " + table.quoted() + " LIMIT 1")) {
            if (row.next()) {
              return false;
            }
          }
        }
        statement.execute(
            "DROP TABLE "
                + dropped.stream().map(TableId::quoted).collect(Collectors.joining(", ")));
        return true;
      } finally {
        statement.execute("UNLOCK TABLES");
      }
    }
  }

  private String definition(ControlColumn column, int nameLength) {
    return TableId.quote(column.name())
        + " "
        + type(column.type(), nameLength)
        + (column.required() ? " NOT NULL" : " NULL")
        + column.value().map(value -> " DEFAULT " + constant(column.type(), value)).orElse("")
        + switch (column.type()) {
          case ROW_TIME -> " DEFAULT CURRENT_TIMESTAMP(6)";
          case ROW_NUMBER -> " AUTO_INCREMENT";
          default -> "";
        };
  }

  /**
   * Where MySQL accepts a default only as an expression, it is written as one: for a text without a
   * maximum length, and for the time with another precision than the column's.
   */
  private String constant(ControlType type, String value) {
    return server == ServerKind.MYSQL && Set.of("longtext", "datetime(6)").contains(type(type, 1))
        ? "(" + value + ")"
        : value;
  }

  /** For a text, the index has only the beginning. */
  private static String prefix(ControlShape shape, String name) {
    boolean text =
        shape.columns().stream()
            .filter(column -> column.name().equals(name))
            .anyMatch(column -> TEXTS.contains(column.type()));
    return text ? "(" + INDEXED_CHARACTERS + ")" : "";
  }

  /** An index has at most 3072 bytes, four for each character. */
  private static int nameLength(ControlShape shape) {
    long names =
        shape.columns().stream()
            .filter(column -> column.type() == ControlType.NAME)
            .filter(column -> shape.key().contains(column.name()))
            .count();
    return (int) Math.min(LONGEST_NAME, LONGEST_KEY / Math.max(1, names));
  }

  private String type(ControlType type, int nameLength) {
    return switch (type) {
      case NAME -> "varchar(" + nameLength + ")";
      case TEXT, LONG_TEXT, POSITION -> "longtext";
      // MySQL's type json does not keep the text of a value.
      case TEXTS, JSON -> server == ServerKind.MARIADB ? "json" : "longtext";
      case BYTES -> "longblob";
      case UUID -> server == ServerKind.MARIADB ? "uuid" : "char(36)";
      case INTEGER -> "int";
      case LONG, ROW_NUMBER -> "bigint";
      case NUMBER -> "decimal(65, 0)";
      case BOOLEAN -> "boolean";
      case TIME, ROW_TIME -> "datetime(6)";
    };
  }

  private static String names(List<String> columns) {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }

  /** The names that a query finds in the catalog, which compares them without regard to case. */
  private static Set<String> names(Connection session, String query, String... parameters)
      throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(query)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      Set<String> names = new HashSet<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          names.add(row.getString(1));
        }
      }
      return names;
    }
  }
}
