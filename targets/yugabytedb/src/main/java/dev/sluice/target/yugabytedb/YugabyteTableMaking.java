package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.load.target.FoundTable;
import dev.sluice.load.target.MadeTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/*
 * Each statement is a transaction of its own, as on a cluster whose DDL is no part of one. So a table
 * gets its name last, when it has its mark: what a kill leaves before that has a name of Sluice's, no
 * rows, and is dropped by the next attempt. Nothing keeps others from a table between the look at its
 * rows and the drop: YugabyteDB has no lock that does.
 */
/** Makes tables of YugabyteDB. Stateless, threadsafe. */
final class YugabyteTableMaking implements TableMaking {
  private static final String PROBE = "pg_temp.sluice_probe";
  private static final String UNNAMED = "sluice_new_";

  /** After all constraints: applications need not wait for them. One at a time, as all DDL. */
  private static final int VALIDATIONS = 1 << 24;

  private static final String ORDINARY = "BASE TABLE";
  private static final int ANSWER_SECONDS = 10;

  private static final String THERE = "42P07";
  private static final String DEPENDENT = "2BP01";
  private static final Set<String> GONE = Set.of("42P01", "3F000");

  private static final String FIND =
      """
      SELECT CASE c.relkind WHEN 'r' THEN 'BASE TABLE' WHEN 'p' THEN 'partitioned table'
               WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
               WHEN 'S' THEN 'sequence' WHEN 'i' THEN 'index' ELSE 'relation ' || c.relkind::text END,
             coalesce(pg_catalog.obj_description(c.oid, 'pg_class'), ''),
             ARRAY(SELECT t.tgname::text FROM pg_catalog.pg_trigger t
                   WHERE t.tgrelid = c.oid AND NOT t.tgisinternal ORDER BY 1)
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ? AND c.relname = ?
      """;

  private static final String COMMENTED =
      """
      SELECT n.nspname, c.relname, d.description
      FROM pg_catalog.pg_description d
      JOIN pg_catalog.pg_class c ON c.oid = d.objoid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0 AND c.relkind = 'r'
      ORDER BY 1, 2
      """;

  private static final String REFERENCING =
      """
      SELECT rn.nspname, r.relname, n.nspname, t.relname
      FROM pg_catalog.pg_constraint k
      JOIN pg_catalog.pg_class t ON t.oid = k.conrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      JOIN pg_catalog.pg_class r ON r.oid = k.confrelid
      JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
      WHERE k.contype = 'f' AND k.conrelid <> k.confrelid
      """;

  private final boolean leavesKeyName;

  /** For a load, which refuses a table if something else has the name of its key. */
  YugabyteTableMaking() {
    this(false);
  }

  private YugabyteTableMaking(boolean leavesKeyName) {
    this.leavesKeyName = leavesKeyName;
  }

  /**
   * For tables that come later: one that was renamed before has the name of the key still, and the
   * server chooses another one, as on the source.
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
    try (PreparedStatement statement = connection.jdbc().prepareStatement(FIND)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(
                new FoundTable(
                    table,
                    row.getString(1),
                    row.getString(1).equals(ORDINARY),
                    row.getString(2),
                    List.of((String[]) row.getArray(3).getArray())))
            : Optional.empty();
      }
    }
  }

  @Override
  public Map<TableId, Set<TableId>> references(
      TargetConnection connection, Collection<TableId> tables) throws SQLException {
    Map<TableId, Set<TableId>> references = new HashMap<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(REFERENCING);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        TableId referenced = new TableId(row.getString(1), row.getString(2));
        if (tables.contains(referenced)) {
          references
              .computeIfAbsent(referenced, key -> new HashSet<>())
              .add(new TableId(row.getString(3), row.getString(4)));
        }
      }
    }
    connection.rollback();
    return references;
  }

  @Override
  public boolean isReferenced(SQLException error) {
    return DEPENDENT.equals(error.getSQLState());
  }

  @Override
  public Optional<String> objection(TargetConnection connection, MadeTable table)
      throws SQLException {
    try {
      CommittedStatements.each(
          connection,
          List.of(
              "DROP TABLE IF EXISTS " + PROBE,
              "CREATE TEMPORARY TABLE %s (%s)"
                  .formatted(PROBE.substring(PROBE.indexOf('.') + 1), table.body()),
              "DROP TABLE " + PROBE));
      return Optional.empty();
    } catch (SQLException e) {
      if (connection.errors().faultOf(e).mayPass()) {
        throw e;
      }
      return Optional.of(connection.errors().textOf(e));
    }
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
      permission.require(found.get(), isFilled(connection, table));
      connection.execute("DROP TABLE " + table.quoted());
      connection.jdbc().commit();
      return true;
    } catch (SQLException e) {
      if (GONE.contains(String.valueOf(e.getSQLState()))) {
        return false;
      }
      throw e;
    } finally {
      connection.rollback();
    }
  }

  private static boolean isFilled(TargetConnection connection, TableId table) throws SQLException {
    return connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1");
  }

  @Override
  public void create(TargetConnection connection, MadeTable table, String comment)
      throws SQLException {
    CommittedStatements.underLock(
        connection, table.table(), () -> createUnderLock(connection, table, comment));
  }

  private void createUnderLock(TargetConnection connection, MadeTable table, String comment)
      throws SQLException {
    TableId unnamed = unnamed(table.table());
    requireOwn(connection, unnamed);
    String without = "DROP TABLE IF EXISTS " + unnamed.quoted();
    List<String> first = new ArrayList<>();
    if (!connection
        .dialect()
        .controlDefinitions()
        .hasSchema(connection.jdbc(), table.table().schema())) {
      first.add("CREATE SCHEMA IF NOT EXISTS " + TableId.quote(table.table().schema()));
    }
    first.add(without);
    CommittedStatements.each(connection, first);
    YugabyteColumns columns = new YugabyteColumns(table.outline());
    boolean isKeyTaken =
        leavesKeyName
            && find(connection, new TableId(table.table().schema(), columns.keyName())).isPresent();
    try {
      CommittedStatements.each(
          connection,
          List.of(
              "CREATE TABLE %s (%s)"
                  .formatted(
                      unnamed.quoted(), isKeyTaken ? columns.bodyWithoutKeyName() : table.body()),
              "COMMENT ON TABLE %s IS %s".formatted(unnamed.quoted(), Literal.of(comment)),
              "ALTER TABLE %s RENAME TO %s"
                  .formatted(unnamed.quoted(), TableId.quote(table.table().name()))));
    } catch (SQLException e) {
      if (isThere(e)) {
        CommittedStatements.each(connection, List.of(without));
      }
      throw e;
    }
  }

  /** Its name before it has its mark: the same at each attempt. */
  private static TableId unnamed(TableId table) {
    return new TableId(table.schema(), UNNAMED + Integer.toHexString(table.toString().hashCode()));
  }

  private void requireOwn(TargetConnection connection, TableId unnamed) throws SQLException {
    Optional<FoundTable> found = find(connection, unnamed);
    boolean own = found.isEmpty() || found.get().ordinary() && !isFilled(connection, unnamed);
    connection.rollback();
    if (!own) {
      throw new SluiceException.Fatal(
          new Problem(
              "target table " + unnamed,
              "is there, and is not what an attempt to make a table has left",
              "no table of that name, or one without rows",
              "Look what it is, and rename it"));
    }
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
    return THERE.equals(error.getSQLState());
  }

  @Override
  public List<FoundTable> commented(TargetConnection connection) throws SQLException {
    return FoundTable.commented(connection, COMMENTED, ORDINARY);
  }

  @Override
  public Optional<String> removeComment(TargetConnection connection, TableId table)
      throws SQLException {
    try {
      CommittedStatements.each(connection, List.of(withoutComment(table)));
      return Optional.empty();
    } catch (SQLException e) {
      if (GONE.contains(String.valueOf(e.getSQLState()))) {
        return Optional.empty();
      }
      if (!connection.jdbc().isValid(ANSWER_SECONDS)) {
        throw e;
      }
      return Optional.of(connection.errors().textOf(e));
    }
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
