package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.load.target.FoundTable;
import dev.sluice.load.target.MadeTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/*
 * Each statement is a transaction of its own, as on a cluster whose DDL is no part of one. Nothing
 * keeps others from a table between the check of its rows and the drop: YugabyteDB has no lock that
 * does.
 */
/** Makes tables of YugabyteDB. Immutable, threadsafe. */
final class YugabyteTableMaking implements TableMaking {
  private static final String PROBE = "pg_temp.sluice_probe";

  /** After all constraints: applications need not wait for them. One at a time, as all DDL. */
  private static final int VALIDATIONS = 1 << 24;

  private static final String DEPENDENT = "2BP01";
  private static final Set<String> GONE = Set.of("42P01", "3F000");

  private final boolean leavesKeyName;

  /** For a load, which refuses a table if something else has the name of its key. */
  YugabyteTableMaking() {
    this(false);
  }

  private YugabyteTableMaking(boolean leavesKeyName) {
    this.leavesKeyName = leavesKeyName;
  }

  /**
   * For tables that come later: one that was renamed before may still have the name of the key. The
   * server chooses another one then, as on the source.
   */
  static YugabyteTableMaking ofAdded() {
    return new YugabyteTableMaking(true);
  }

  @Override
  public List<MadeTable> of(List<TableOutline> outlines) {
    List<MadeTable> tables = new ArrayList<>();
    int place = 0;
    for (TableOutline table : outlines) {
      YugabyteColumns columns = new YugabyteColumns(table);
      List<CompletionStep> constraints = new ArrayList<>();
      for (CompletionStep step :
          Stream.of(
                  new MadeChecks(table).steps(),
                  new YugabyteForeignKeys(table).steps(),
                  columns.leftOut())
              .flatMap(List::stream)
              .toList()) {
        int rank = place++;
        constraints.add(step.at(step.kind() == Kind.VALIDATION ? VALIDATIONS + rank : rank));
      }
      tables.add(
          new MadeTable(
              table,
              columns.body(),
              List.of(),
              new YugabyteIndexes(table).steps(),
              constraints,
              columns.problems()));
    }
    return tables;
  }

  @Override
  public Optional<FoundTable> find(TargetConnection connection, TableId table) throws SQLException {
    return YugabyteFoundTables.find(connection, table);
  }

  @Override
  public Map<TableId, Set<TableId>> references(
      TargetConnection connection, Collection<TableId> tables) throws SQLException {
    return YugabyteFoundTables.references(connection, tables);
  }

  @Override
  public boolean isReferenced(SQLException error) {
    return DEPENDENT.equals(error.getSQLState());
  }

  @Override
  public void tryOut(TargetConnection connection, MadeTable table) throws SQLException {
    CommittedStatements.each(
        connection,
        List.of(
            "DROP TABLE IF EXISTS " + PROBE,
            "CREATE TEMPORARY TABLE %s (%s)"
                .formatted(PROBE.substring(PROBE.indexOf('.') + 1), table.body()),
            "DROP TABLE " + PROBE));
  }

  @Override
  public boolean drop(TargetConnection connection, TableId table, Permission permission)
      throws SQLException {
    connection.rollback();
    // Waits for the ends of earlier loads of the table.
    LoadLocks.holdEmptied(connection, table);
    try {
      Optional<FoundTable> found = find(connection, table);
      if (found.isEmpty()) {
        return false;
      }
      permission.require(found.get(), YugabyteFoundTables.isFilled(connection, table));
      connection.execute("DROP TABLE " + table.quoted());
      connection.jdbc().commit();
      return true;
    } catch (SQLException e) {
      if (isGone(e)) {
        return false;
      }
      throw e;
    } finally {
      connection.rollback();
    }
  }

  @Override
  public void create(TargetConnection connection, MadeTable table, String comment)
      throws SQLException {
    CommittedStatements.underLock(
        connection, table.table(), () -> createUnderLock(connection, table, comment));
  }

  private void createUnderLock(TargetConnection connection, MadeTable table, String comment)
      throws SQLException {
    UnnamedTable unnamed = new UnnamedTable(table.table());
    unnamed.clear(connection);
    // Only now: what an earlier attempt left may have had the name of the key.
    unnamed.make(connection, body(connection, table), comment);
  }

  private String body(TargetConnection connection, MadeTable table) throws SQLException {
    YugabyteColumns columns = new YugabyteColumns(table.outline());
    boolean isKeyTaken =
        leavesKeyName
            && find(connection, new TableId(table.table().schema(), columns.keyName())).isPresent();
    return isKeyTaken ? columns.bodyWithoutKeyName() : table.body();
  }

  @Override
  public List<String> indexesInTheWay(TargetConnection connection, MadeTable table)
      throws SQLException {
    List<String> names = new YugabyteIndexes(table.outline()).inTheWay(connection.jdbc());
    connection.rollback();
    return names;
  }

  @Override
  public boolean isThere(SQLException error) {
    return UnnamedTable.isNameTaken(error);
  }

  @Override
  public List<FoundTable> commented(TargetConnection connection) throws SQLException {
    return YugabyteFoundTables.commented(connection);
  }

  @Override
  public void alterComment(TargetConnection connection, TableId table) throws SQLException {
    CommittedStatements.each(connection, List.of(withoutComment(table)));
  }

  @Override
  public boolean isGone(SQLException error) {
    return GONE.contains(String.valueOf(error.getSQLState()));
  }

  @Override
  public String withoutComment(TableId table) {
    return "COMMENT ON TABLE %s IS NULL".formatted(table.quoted());
  }

  @Override
  public String textOfTriggers() {
    return "pg_get_triggerdef";
  }
}
