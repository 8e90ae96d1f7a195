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
 * A session whose named locks can end with its transaction: the server itself keeps them until the
 * session ends or releases them. A lock is released after the transaction has ended, so that its
 * next holder sees what was committed. Used by the session's thread.
 */
public final class LockingConnection extends DelegatingConnection<Connection> {
  private final List<String> locks = new ArrayList<>();
  private final List<String> atEnd = new ArrayList<>();

  public LockingConnection(Connection driver) {
    super(driver);
  }

  /** Releases a lock of the session when the open transaction has ended. */
  void releaseAtEnd(String lock) {
    locks.add(lock);
  }

  /** Executes a statement when the transaction has ended, such as one that restores a limit. */
  public void executeAtEnd(String sql) {
    atEnd.add(sql);
  }

  /** Called when the server has released all locks of the session and reset its settings. */
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

  /** The transaction has already ended, so a failure only closes the session. */
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

  /** The transaction has already ended, so a failure only closes the session. */
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
