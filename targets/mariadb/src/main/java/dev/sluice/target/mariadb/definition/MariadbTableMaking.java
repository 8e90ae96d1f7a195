package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.load.target.FoundTable;
import dev.sluice.load.target.MadeTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.catalog.BoundedAlter;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/*
 * LOCK TABLES keeps everybody else out of a table until it is dropped, so what is asked under it is
 * still true when the table goes. It waits for open transactions with the table, and so for those of
 * an earlier attempt. A temporary table is judged like another one, and does not commit.
 */
/** Makes tables of MariaDB or MySQL. Immutable, threadsafe. */
public final class MariadbTableMaking implements TableMaking {
  private static final String OPTIONS = "ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ";

  private static final String PROBE = "sluice_probe";

  private static final int NO_TABLE = 1146;
  private static final int TABLE_IS_THERE = 1050;
  private static final Set<Integer> REFERENCED = Set.of(1217, 1451, 3730);

  private final ServerKind server;

  public MariadbTableMaking(ServerKind server) {
    this.server = server;
  }

  private String options() {
    return OPTIONS + server.binaryCollation();
  }

  @Override
  public List<MadeTable> of(List<TableOutline> outlines) {
    List<MadeIndexes> made =
        outlines.stream()
            .map(table -> new MadeIndexes(table, new MadeColumns(server, table)))
            .toList();
    MadeForeignKeys foreignKeys = new MadeForeignKeys(server, made);
    List<MadeTable> tables = new ArrayList<>();
    int place = 0;
    for (MadeIndexes each : made) {
      TableOutline table = each.table();
      List<CompletionStep> constraints = new ArrayList<>();
      for (CompletionStep step :
          Stream.of(foreignKeys.steps(table), each.columns().leftOut(), others(table))
              .flatMap(List::stream)
              .toList()) {
        constraints.add(step.at(place++));
      }
      constraints.addAll(foreignKeys.validations(table));
      tables.add(
          new MadeTable(
              table,
              each.columns().body(),
              each.definitions(),
              Stream.concat(each.steps().stream(), foreignKeys.indexes(table).stream()).toList(),
              constraints,
              each.columns().problems()));
    }
    return tables;
  }

  private static List<CompletionStep> others(TableOutline table) {
    return table.others().stream()
        .map(
            other ->
                CompletionStep.leftOut(
                    table.table(),
                    Stage.CONSTRAINTS,
                    other.kind().equals("check") ? Kind.CHECK : Kind.TRIGGER,
                    "%s %s.%s".formatted(other.kind(), table.table(), other.name()),
                    "it is written for the source's server, create it by hand if it is needed: "
                        + other.definition()))
        .toList();
  }

  @Override
  public Optional<FoundTable> find(TargetConnection connection, TableId table) throws SQLException {
    return MariadbFoundTables.find(connection, table);
  }

  @Override
  public Map<TableId, Set<TableId>> references(
      TargetConnection connection, Collection<TableId> tables) throws SQLException {
    return MariadbFoundTables.references(connection, tables);
  }

  @Override
  public boolean isReferenced(SQLException error) {
    return REFERENCED.contains(error.getErrorCode());
  }

  @Override
  public void tryOut(TargetConnection connection, MadeTable table) throws SQLException {
    connection.rollback();
    try {
      connection.execute(
          "CREATE TEMPORARY TABLE %s (%s) %s"
              .formatted(
                  PROBE,
                  Stream.concat(Stream.of(table.body()), table.indexes().stream())
                      .collect(Collectors.joining(", ")),
                  options()));
      connection.execute("DROP TEMPORARY TABLE " + PROBE);
    } finally {
      connection.rollback();
    }
  }

  @Override
  public boolean drop(TargetConnection connection, TableId table, Permission permission)
      throws SQLException {
    connection.rollback();
    try {
      connection.execute("LOCK TABLES " + table.quoted() + " WRITE");
    } catch (SQLException e) {
      if (isGone(e)) {
        return false;
      }
      throw e;
    }
    try {
      Optional<FoundTable> found = find(connection, table);
      if (found.isEmpty()) {
        return false;
      }
      permission.require(
          found.get(), connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1"));
      // The server refuses what a table references that the catalog hides from this user.
      connection.execute("SET SESSION foreign_key_checks = 1");
      connection.execute("DROP TABLE " + table.quoted());
      return true;
    } finally {
      connection.execute("UNLOCK TABLES");
      connection.execute("SET SESSION foreign_key_checks = 0");
      connection.rollback();
    }
  }

  @Override
  public void create(TargetConnection connection, MadeTable table, String comment)
      throws SQLException {
    connection.rollback();
    connection.execute(
        "CREATE TABLE %s (%s) %s COMMENT = %s"
            .formatted(table.table().quoted(), table.body(), options(), Shown.text(comment)));
  }

  @Override
  public List<String> indexesInTheWay(TargetConnection connection, MadeTable table)
      throws SQLException {
    List<FoundIndex> found = FoundIndex.read(connection, table.table());
    connection.rollback();
    return new MadeIndexes(table.outline(), new MadeColumns(server, table.outline()))
        .inTheWay(found);
  }

  @Override
  public boolean isThere(SQLException error) {
    return error.getErrorCode() == TABLE_IS_THERE;
  }

  @Override
  public List<FoundTable> commented(TargetConnection connection) throws SQLException {
    return MariadbFoundTables.commented(connection);
  }

  @Override
  public void alterComment(TargetConnection connection, TableId table) throws SQLException {
    connection.rollback();
    BoundedAlter.run(server, connection, table, 1, "COMMENT = ''");
  }

  @Override
  public boolean isGone(SQLException error) {
    return error.getErrorCode() == NO_TABLE;
  }

  @Override
  public String withoutComment(TableId table) {
    return "ALTER TABLE %s COMMENT = ''".formatted(Shown.table(table));
  }

  @Override
  public String textOfTriggers() {
    return "SHOW CREATE TRIGGER";
  }
}
