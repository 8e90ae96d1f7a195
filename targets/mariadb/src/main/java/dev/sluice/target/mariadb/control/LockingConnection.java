package dev.sluice.target.mariadb.control;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.dbcp2.DelegatingConnection;

/**
 * A session whose locks by name can end with its transaction: the server keeps them until the
 * session ends or releases them. A lock is released after the transaction has ended, so that who
 * gets it next sees what was committed. Used by the session's thread.
 */
public final class LockingConnection extends DelegatingConnection<Connection> {
  private final List<String> locks = new ArrayList<>();
  private final List<String> atEnd = new ArrayList<>();

  public LockingConnection(Connection driver) {
    super(driver);
  }

  /** Releases a lock that the session holds when the open transaction has ended. */
  void releaseAtEnd(String lock) {
    locks.add(lock);
  }

  /** Executes a statement, such as one that sets a limit back, when the transaction has ended. */
  public void executeAtEnd(String sql) {
    atEnd.add(sql);
  }

  /** The server has released all locks of the session, and set all its settings back. */
  public void forgetLocks() {
    locks.clear();
    atEnd.clear();
  }

  @Override
  public void commit() throws SQLException {
    super.commit();
    executeAtEnd();
    releaseLocks();
  }

  @Override
  public void rollback() throws SQLException {
    super.rollback();
    executeAtEnd();
    releaseLocks();
  }

  /** The transaction has ended, whatever happens here: a session that fails now is closed. */
  private void executeAtEnd() throws SQLException {
    if (atEnd.isEmpty()) {
      return;
    }
    List<String> statements = List.copyOf(atEnd);
    atEnd.clear();
    try (Statement statement = getInnermostDelegateInternal().createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      abort(Runnable::run);
    }
  }

  /** As above. */
  private void releaseLocks() throws SQLException {
    if (locks.isEmpty()) {
      return;
    }
    List<String> held = List.copyOf(locks);
    locks.clear();
    try (PreparedStatement statement =
        getInnermostDelegateInternal().prepareStatement("SELECT RELEASE_LOCK(?)")) {
      for (String lock : held) {
        statement.setString(1, lock);
        try (ResultSet row = statement.executeQuery()) {
          row.next();
        }
      }
    } catch (SQLException e) {
      abort(Runnable::run);
    }
  }
}
