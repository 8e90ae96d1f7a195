package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import dev.sluice.sink.target.DdlStatements;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * DDL of PostgreSQL, which is part of the transaction; relatives of PostgreSQL may override that.
 * Stateless, threadsafe.
 */
public class PostgresDdlStatements implements DdlStatements {

  @Override
  public boolean isTransactional() {
    return true;
  }

  @Override
  public String createTable(TableId table, TableDefinition definition) {
    return "CREATE TABLE %s (%s)%s"
        .formatted(
            table.quoted(),
            definition.columns().stream()
                .map(column -> definition(column, column.notNull(), null))
                .collect(Collectors.joining(", ")),
            partitionedBy(definition));
  }

  @Override
  public String createPartition(TableId table, TableId parent, TableDefinition definition) {
    return "CREATE TABLE %s PARTITION OF %s %s%s"
        .formatted(
            table.quoted(),
            parent.quoted(),
            definition.partition().bound(),
            partitionedBy(definition));
  }

  @Override
  public List<String> closeAsMoved(TableId table) {
    return List.of(MovedTableStatements.close(table));
  }

  @Override
  public List<String> noteRenamedIfMoved(TableId was, TableId now) {
    return List.of(MovedTableStatements.noteRenamed(was, now));
  }

  @Override
  public List<String> noteDroppedIfMoved(List<TableId> tables) {
    return List.of(MovedTableStatements.noteDropped(tables));
  }

  private static String partitionedBy(TableDefinition definition) {
    return definition.partitionedBy() == null ? "" : " PARTITION BY " + definition.partitionedBy();
  }

  @Override
  public String addPrimaryKey(TableId table, List<String> columns, Checked checked) {
    return altering(
        table,
        "ADD PRIMARY KEY (%s)%s"
            .formatted(
                columns.stream().map(TableId::quote).collect(Collectors.joining(", ")),
                checked.sql()));
  }

  @Override
  public String dropConstraint(TableId table, String name) {
    return altering(table, "DROP CONSTRAINT " + TableId.quote(name));
  }

  @Override
  public String dropTables(List<TableId> tables) {
    return "DROP TABLE " + tables.stream().map(TableId::quoted).collect(Collectors.joining(", "));
  }

  @Override
  public String moveToSchema(TableId table, String schema) {
    return altering(table, "SET SCHEMA " + TableId.quote(schema));
  }

  @Override
  public String rename(TableId table, String name) {
    return altering(table, "RENAME TO " + TableId.quote(name));
  }

  @Override
  public String endInheritance(TableId table, TableId parent) {
    return altering(table, "NO INHERIT " + parent.quoted());
  }

  @Override
  public String attach(TableId table, TableId parent, String bound) {
    return altering(parent, "ATTACH PARTITION %s %s".formatted(table.quoted(), bound));
  }

  @Override
  public String detach(TableId table, TableId parent) {
    return altering(parent, "DETACH PARTITION " + table.quoted());
  }

  @Override
  public String deleteRows(TableId table, String condition) {
    return "DELETE FROM %s WHERE (%s)".formatted(table.quoted(), condition);
  }

  @Override
  public String createSequence(TableId sequence, String options) {
    return "CREATE SEQUENCE IF NOT EXISTS %s %s".formatted(sequence.quoted(), options);
  }

  @Override
  public String ownSequence(TableId sequence, TableId table, String column) {
    return "ALTER SEQUENCE %s OWNED BY %s.%s"
        .formatted(sequence.quoted(), table.quoted(), TableId.quote(column));
  }

  /** Masks the default of a domain, which would be evaluated for existing rows. */
  @Override
  public List<String> addColumn(
      TableId table, ColumnDefinition column, boolean notNull, String existing) {
    boolean plain = column.filling() == Filling.DEFAULT;
    boolean masked = plain && existing == null && isOwnType(column.type());
    List<String> statements = new ArrayList<>();
    statements.add(
        altering(
            table,
            "ADD COLUMN "
                + definition(column, notNull, existing)
                + (masked ? " DEFAULT NULL" : "")));
    if (plain && existing != null || masked) {
      statements.add(altering(table, altered(column.name()) + " DROP DEFAULT"));
    }
    return statements;
  }

  @Override
  public List<String> addColumn(TableId table, Column column, String existing) {
    String added = "ADD COLUMN " + TableId.quote(column.name()) + " " + column.type();
    if (existing == null && !isOwnType(column.type())) {
      return List.of(altering(table, added));
    }
    // A domain's own default would be evaluated for existing rows.
    String value = existing == null ? "NULL" : literal(existing) + "::" + column.type();
    return List.of(
        altering(table, added + " DEFAULT " + value),
        altering(table, altered(column.name()) + " DROP DEFAULT"));
  }

  @Override
  public String dropColumn(TableId table, String column) {
    return altering(table, "DROP COLUMN " + TableId.quote(column));
  }

  @Override
  public String renameColumn(TableId table, String column, String name) {
    return altering(
        table, "RENAME COLUMN %s TO %s".formatted(TableId.quote(column), TableId.quote(name)));
  }

  @Override
  public String alterType(TableId table, ColumnDefinition column) {
    return altering(
        table,
        "%s TYPE %s%s"
            .formatted(
                altered(column.name()),
                column.type(),
                column.collation() == null ? "" : " COLLATE " + column.collation()));
  }

  @Override
  public String setNotNull(TableId table, String column, boolean notNull) {
    return altering(table, altered(column) + (notNull ? " SET NOT NULL" : " DROP NOT NULL"));
  }

  @Override
  public String endGeneration(TableId table, String column) {
    return altering(table, altered(column) + " DROP EXPRESSION");
  }

  @Override
  public String setDefault(TableId table, String column, String expression) {
    return altering(table, altered(column) + " SET DEFAULT " + expression);
  }

  @Override
  public String setDefaultToNext(TableId table, String column, TableId sequence) {
    return setDefault(table, column, "nextval(" + literal(sequence.quoted()) + "::regclass)");
  }

  private static String definition(ColumnDefinition column, boolean notNull, String existing) {
    StringBuilder sql =
        new StringBuilder(TableId.quote(column.name())).append(' ').append(column.type());
    if (column.collation() != null) {
      sql.append(" COLLATE ").append(column.collation());
    }
    if (column.filling().generated()) {
      sql.append(" GENERATED ALWAYS AS (")
          .append(column.defaultValue())
          .append(column.filling() == Filling.GENERATED_VIRTUAL ? ") VIRTUAL" : ") STORED");
    } else if (column.filling().identity()) {
      sql.append(
          column.filling() == Filling.IDENTITY_ALWAYS
              ? " GENERATED ALWAYS AS IDENTITY"
              : " GENERATED BY DEFAULT AS IDENTITY");
      if (column.sequence() != null) {
        String options = column.sequence().options();
        sql.append(" (").append(options.substring(options.indexOf("START WITH"))).append(')');
      }
    } else if (existing != null) {
      sql.append(" DEFAULT ").append(literal(existing)).append("::").append(column.type());
    }
    if (notNull) {
      sql.append(" NOT NULL");
    }
    return sql.toString();
  }

  /** Whether the type is user-defined: the names of built-in types have no schema. */
  private static boolean isOwnType(String type) {
    return type.contains(".");
  }

  private static String altering(TableId table, String action) {
    return "ALTER TABLE " + table.quoted() + " " + action;
  }

  private static String altered(String column) {
    return "ALTER COLUMN " + TableId.quote(column);
  }

  static String literal(String text) {
    String quoted = "'" + text.replace("'", "''") + "'";
    return text.contains("\\") ? "E" + quoted.replace("\\", "\\\\") : quoted;
  }
}
