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
   * What the server may refuse: values that are there twice, that are too large, too long, missing,
   * of another character set, or of no type that the server converts.
   */
  private static final Set<Integer> ORDINARY =
      Set.of(
          167, 1048, 1062, 1067, 1118, 1138, 1171, 1264, 1265, 1292, 1364, 1365, 1366, 1406, 1411,
          1416, 1467, 1690, 1976, 3140, 3819, 4025);

  private final Connection session;
  private final List<BinlogTable> tables;
  private final BinlogStatements statements;
  private final Random random;
  private final List<String> told = new ArrayList<>();
  private int left;
  private boolean savepoint;
  private int succeeded;
  private int altered;

  BinlogWork(Connection session, List<BinlogTable> tables, Random random) {
    this.session = session;
    this.tables = tables;
    this.random = random;
    this.statements = new BinlogStatements(random);
  }

  /** Creates the tables, with rows. */
  void begin() throws SQLException {
    run("SET time_zone = '" + (random.nextBoolean() ? "+00:00" : "-05:30") + "'");
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
      run(random.nextInt(7) == 0 ? "ROLLBACK" : "COMMIT");
      savepoint = false;
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
    } else if (kind < 3) {
      alter(table);
    } else if (kind < 12) {
      for (String statement : statements.change(table)) {
        run(statement);
      }
    } else {
      left = 2 + random.nextInt(random.nextInt(12) == 0 ? 60 : 10);
      run("START TRANSACTION");
    }
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
    run("COMMIT");
    left = 0;
    savepoint = false;
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
      if (!ORDINARY.contains(e.getErrorCode())) {
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
