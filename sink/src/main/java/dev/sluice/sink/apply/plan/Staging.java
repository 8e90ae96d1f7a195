package dev.sluice.sink.apply.plan;

import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetConnection;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The temporary tables of one connection, which exist as long as the connection. Owned by the apply
 * thread.
 */
public final class Staging {
  /** The maximum number of tables: PostgreSQL empties and locks each one at every commit. */
  static final int KEPT_TABLES = 100;

  /** Rows of which nothing is known; they equal no other content. */
  private static final Object UNKNOWN = new Object();

  private final TargetConnection connection;
  private final StagingStatements statements;
  private final int keptTables;

  /** The definition of each table; the least recently used table comes first. */
  private final Map<String, String> created = new LinkedHashMap<>(16, 0.75f, true);

  private final Set<String> createdInTransaction = new HashSet<>();

  /**
   * The tables that the current work has requested, if tables are created in separate transactions.
   * None of them is dropped for another: otherwise the work would begin again for each of them in
   * turn, without end.
   */
  private final Set<String> asked = new HashSet<>();

  /** The content of each table that is not empty. */
  private final Map<String, Object> content = new HashMap<>();

  private long clearedRows;

  Staging(TargetConnection connection) {
    this(connection, connection.dialect().staging(), KEPT_TABLES);
  }

  Staging(TargetConnection connection, StagingStatements statements, int keptTables) {
    this.connection = connection;
    this.statements = statements;
    this.keptTables = keptTables;
  }

  /**
   * A temporary table that a transaction needs and that must be created before it: roll the
   * transaction back, {@link #create create} the table, commit that, and begin again.
   */
  public static final class Missing extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String name;
    private final String columns;

    private Missing(String name, String columns) {
      super("temporary table %s (%s)".formatted(name, columns), null, false, false);
      this.name = name;
      this.columns = columns;
    }
  }

  /** Begins work, which may begin again for each {@link Missing} table. */
  public void beginWork() {
    asked.clear();
  }

  /**
   * Returns the full name of a temporary table, which is created if it is missing. Where tables are
   * created apart, one name with two definitions is two tables, since the work may need both.
   *
   * @throws Missing if it is missing and the target creates tables only in a separate transaction
   */
  public String table(String name, String columns) throws SQLException {
    if (statements.createdApart()) {
      return createdApart(name + "_" + hash(columns), columns);
    }
    String table = statements.table(name);
    if (!columns.equals(created.get(table))) {
      create(name, columns);
      createdInTransaction.add(table);
    }
    return table;
  }

  private String createdApart(String name, String columns) {
    String table = statements.table(name);
    asked.add(table);
    if (!columns.equals(created.get(table))) {
      throw new Missing(name, columns);
    }
    return table;
  }

  private static String hash(String columns) {
    return UUID.nameUUIDFromBytes(columns.getBytes(StandardCharsets.UTF_8))
        .toString()
        .substring(0, 8);
  }

  /** Creates a missing table in the open transaction, which has nothing else. */
  public void create(Missing missing) throws SQLException {
    create(missing.name, missing.columns);
    createdInTransaction.add(statements.table(missing.name));
  }

  private void create(String name, String columns) throws SQLException {
    String table = statements.table(name);
    for (String sql : statements.dropIfExists(table)) {
      connection.execute(sql);
    }
    created.remove(table);
    content.remove(table);
    if (created.size() >= keptTables) {
      dropLeastUsed();
    }
    connection.execute(statements.create(name, columns));
    created.put(table, columns);
  }

  public boolean holds(String table, Object wanted) {
    return wanted.equals(content.get(table));
  }

  /** Empties the table if it is not empty, and records its new content. */
  public void fill(String table, Object newContent) throws SQLException {
    if (content.put(table, newContent) != null) {
      for (String sql : statements.clear(table, created.get(table))) {
        clearedRows += connection.execute(sql);
      }
    }
  }

  /** Whether so many rows were removed that their space is released only by a new session. */
  public boolean isWorn() {
    return clearedRows >= statements.clearedRowsOfSession();
  }

  void committed() {
    transactionEnded();
    createdInTransaction.clear();
  }

  void rolledBack() {
    transactionEnded();
    createdInTransaction.forEach(created::remove);
    createdInTransaction.clear();
  }

  private void transactionEnded() {
    if (statements.emptiedAtCommit()) {
      content.clear();
    } else {
      content.replaceAll((table, before) -> UNKNOWN);
    }
  }

  /** Call it after a rollback to a savepoint: the content of all tables is unknown then. */
  void rolledBackToSavepoint() {
    content.replaceAll((table, before) -> UNKNOWN);
    createdInTransaction.forEach(created::remove);
    createdInTransaction.clear();
  }

  private void dropLeastUsed() throws SQLException {
    for (String table : created.keySet()) {
      if (content.getOrDefault(table, UNKNOWN) == UNKNOWN && !asked.contains(table)) {
        created.remove(table);
        content.remove(table);
        createdInTransaction.remove(table);
        connection.execute(statements.drop(table));
        return;
      }
    }
  }
}
