package dev.sluice.embedded.derby;

import com.ibm.db2.jcc.DB2BaseDataSource;
import com.ibm.db2.jcc.DB2SimpleDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A session of Db2's driver, in manual commit. Owned by one thread. */
final class Db2Connection implements AutoCloseable {
  private final Connection jdbc;

  private Db2Connection(Connection jdbc) {
    this.jdbc = jdbc;
  }

  static Db2Connection open(EmbeddedDerby server) throws SQLException {
    return open(server, DB2BaseDataSource.INTERRUPT_PROCESSING_MODE_STATEMENT_CANCEL);
  }

  /**
   * @param atCancel what the driver does at a cancel, as its {@code interruptProcessingMode}
   */
  static Db2Connection open(EmbeddedDerby server, int atCancel) throws SQLException {
    DB2SimpleDataSource source = new DB2SimpleDataSource();
    source.setDriverType(4);
    source.setServerName("127.0.0.1");
    source.setPortNumber(server.port());
    source.setDatabaseName(EmbeddedDerby.DATABASE);
    source.setUser("app");
    source.setPassword("app");
    source.setSecurityMechanism(DB2BaseDataSource.CLEAR_TEXT_PASSWORD_SECURITY);
    source.setInterruptProcessingMode(atCancel);
    Connection jdbc = source.getConnection();
    jdbc.setAutoCommit(false);
    return new Db2Connection(jdbc);
  }

  Connection jdbc() {
    return jdbc;
  }

  /** The number of rows that the last of the statements changed. */
  int run(String... statements) throws SQLException {
    int changed = 0;
    try (Statement statement = jdbc.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
        changed = statement.getUpdateCount();
      }
    }
    return changed;
  }

  /** Each row as its columns with {@code |} between them. */
  List<String> rows(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = jdbc.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          values.add(row.getString(i));
        }
        rows.add(String.join("|", values));
      }
    }
    return rows;
  }

  /** Rolls back, since the driver closes no session with an open transaction. */
  @Override
  public void close() throws SQLException {
    if (!jdbc.isClosed()) {
      jdbc.rollback();
    }
    jdbc.close();
  }
}
