package dev.sluice.engine.binlog;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One application: random transactions on tables of its own, one statement at a time, so that those
 * of several applications are mixed in the log. Owned by one thread.
 */
final class BinlogWork implements AutoCloseable {
  /**
   * Errors, of no class of SQLSTATE, of what the server may refuse: a counter that is at its end, a
   * value that is missing or does not fit, a row that is too large, texts of two collations, a
   * TRUNCATE of what a foreign key refers to.
   */
  private static final Set<Integer> ORDINARY =
      Set.of(
          167, 1067, 1118, 1265, 1267, 1364, 1366, 1411, 1416, 1467, 1701, 1976, 3140, 3819, 4025);

  /** The classes of values that are wrong, and of constraints that are violated. */
  private static final Set<String> ORDINARY_CLASSES = Set.of("22", "23");

  private final Connection session;
  private final List<BinlogTable> tables;
  private final BinlogStatements statements;
  private final boolean altering;
  private final Random random;
  private final List<String> told = new ArrayList<>();
  private int left;
  private boolean savepoint;

  /** The name of the open transaction of XA; empty if it is an ordinary one. */
  private String xa = "";

  private int succeeded;
  private int altered;

  BinlogWork(Connection session, List<BinlogTable> tables, boolean altering, Random random) {
    this.session = session;
    this.tables = tables;
    this.altering = altering;
    this.random = random;
    this.statements = new BinlogStatements(random);
  }

  /** Creates the tables, with rows. */
  void begin() throws SQLException {
    // Without the date 0000-00-00, which stops a task.
    run(
        "SET sql_mode = 'TRADITIONAL', time_zone = '%s'"
            .formatted(random.nextBoolean() ? "+00:00" : "-05:30"));
    for (BinlogTable table : tables) {
      require(table.create(random));
      for (int i = 0; i < 4; i++) {
        run(statements.insert(table));
      }
    }
  }

  /** Runs the next statement, or ends a transaction. */
  void step() throws SQLException {
    BinlogTable table = tables.get(random.nextInt(tables.size()));
    if (left == 0) {
      between(table);
    } else if (--left == 0) {
      end(random.nextInt(7) > 0);
    } else if (random.nextInt(8) == 0) {
      run(savepoint && random.nextBoolean() ? "ROLLBACK TO SAVEPOINT s" : "SAVEPOINT s");
      savepoint = true;
    } else {
      for (String statement : statements.change(table)) {
        run(statement);
      }
    }
  }

  private void between(BinlogTable table) throws SQLException {
    int kind = random.nextInt(40);
    if (kind == 0) {
      run("FLUSH BINARY LOGS");
    } else if (kind < 3 && altering) {
      alter(table);
    } else if (kind < 12) {
      for (String statement : statements.change(table)) {
        run(statement);
      }
    } else {
      left = 2 + random.nextInt(random.nextInt(12) == 0 ? 60 : 10);
      xa = random.nextInt(5) == 0 ? " '%x'".formatted(random.nextLong()) : "";
      run(xa.isEmpty() ? "START TRANSACTION" : "XA START" + xa);
    }
  }

  /** One of XA ends in one phase: a prepared one with captured changes stops a task. */
  private void end(boolean committed) throws SQLException {
    if (xa.isEmpty()) {
      run(committed ? "COMMIT" : "ROLLBACK");
    } else {
      run("XA END" + xa);
      run(committed ? "XA COMMIT" + xa + " ONE PHASE" : "XA ROLLBACK" + xa);
    }
    left = 0;
    savepoint = false;
    xa = "";
  }

  /** Rows before it let a capture know the columns, wherever it begins. */
  private void alter(BinlogTable table) throws SQLException {
    run(statements.insert(table));
    BinlogAlter alter = BinlogAlter.of(table, random);
    if (run(alter.sql())) {
      alter.done().run();
      altered++;
      run(statements.insert(table));
    }
  }

  /** Ends the transaction that is open, if one is. */
  void finish() throws SQLException {
    end(true);
  }

  List<BinlogTable> tables() {
    return tables;
  }

  int succeeded() {
    return succeeded;
  }

  int altered() {
    return altered;
  }

  int tried() {
    return told.size();
  }

  /** All statements, with what became of them. */
  List<String> told() {
    return told;
  }

  private void require(String sql) throws SQLException {
    if (!run(sql)) {
      throw new SQLException(told.get(told.size() - 1));
    }
  }

  private boolean run(String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
      told.add(sql + ";");
      succeeded++;
      return true;
    } catch (SQLException e) {
      told.add(sql + "; -- " + e.getErrorCode() + ": " + e.getMessage());
      if (!ORDINARY.contains(e.getErrorCode())
          && !ORDINARY_CLASSES.contains(e.getSQLState().substring(0, 2))) {
        throw e;
      }
      return false;
    }
  }

  @Override
  public void close() throws SQLException {
    session.close();
  }
}
