package dev.sluice.target.db2.control;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.dbcp2.DelegatingConnection;
import org.apache.commons.dbcp2.DelegatingPreparedStatement;

/**
 * An INSERT that changes nothing if a row with the key already exists. It waits for a transaction
 * that inserts the same key. Used by the session's thread.
 */
class InsertUnlessThere extends DelegatingPreparedStatement {
  private static final String DUPLICATE = "23505";

  private final Connection session;
  private final PreparedStatement insert;
  private final List<Integer> batch = new ArrayList<>();

  InsertUnlessThere(Connection session, PreparedStatement insert) {
    super(new DelegatingConnection<>(session), insert);
    this.session = session;
    this.insert = insert;
  }

  @Override
  public int executeUpdate() throws SQLException {
    Savepoint before = session.setSavepoint();
    try {
      int inserted = insert.executeUpdate();
      session.releaseSavepoint(before);
      return inserted;
    } catch (SQLException e) {
      if (!DUPLICATE.equals(e.getSQLState())) {
        throw e;
      }
      session.rollback(before);
      // The existing row stays, and no second one is inserted.
      session.releaseSavepoint(before);
      return 0;
    }
  }

  /** Inserts the row at once, since each may already exist. */
  @Override
  public void addBatch() throws SQLException {
    batch.add(executeUpdate());
  }

  /** The counts of the rows, which were already inserted. */
  @Override
  public int[] executeBatch() {
    int[] counts = batch.stream().mapToInt(Integer::intValue).toArray();
    batch.clear();
    return counts;
  }

  @Override
  public void close() throws SQLException {
    insert.close();
  }
}
