package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Opens sessions on the target and sets what all of them need. Stateless, threadsafe. */
public interface TargetSessions {

  /**
   * Checks the driver.
   *
   * @throws SluiceException.Fatal if it does not have what Sluice uses of it
   */
  void requireDriver();

  /** Opens a session with the driver's settings only. */
  Connection connect(TargetLogin login) throws SQLException;

  /**
   * Fixes every setting of a new session that changes how values are read, and its timeouts.
   *
   * @return whether foreign keys, triggers and rules of the target are off in this session
   */
  boolean prepare(Connection jdbc) throws SQLException;

  /**
   * Resets a session that was given back: no transaction, settings, locks or temporary tables
   * remain. Fails if it is broken.
   */
  void reset(Connection jdbc) throws SQLException;

  /**
   * How a session ends whose host is gone, for messages. The session is the subject of the
   * sentence.
   */
  String endWithoutHost();

  /** The session's pipeline for statements that are sent together. */
  StatementPipeline pipeline(Connection jdbc) throws SQLException;

  /** Cancels the running statement on the server. From any thread. */
  void cancel(Connection jdbc) throws SQLException;

  /** Makes the open transaction wait for the target's disk at its commit. */
  void commitDurably(Connection jdbc) throws SQLException;

  /** Sets the lock timeout of the open transaction; zero has no limit. */
  void waitForLocks(Connection jdbc, Duration timeout) throws SQLException;

  /** Limits each statement of the open transaction, and the time between two of them. */
  void limitTransaction(Connection jdbc, Duration limit) throws SQLException;

  /**
   * Lets the server end the session after it was idle for this time; zero restores the server's
   * limit. Does nothing if the server does not end idle transactions.
   */
  default void endAfterSilence(Connection jdbc, Duration limit) throws SQLException {}

  /** How large a statement may be; empty if no row of a table reaches the limit. */
  default Optional<StatementLimit> statementLimit(Connection jdbc) throws SQLException {
    return Optional.empty();
  }

  /** Closes all prepared statements, because tables were altered; empty if that is not needed. */
  default Optional<String> forgetStatements() {
    return Optional.empty();
  }

  /** Defers deferrable constraints to the transaction's end; empty if there are none. */
  default Optional<String> deferConstraints() {
    return Optional.empty();
  }

  /** Checks the deferred constraints at once; empty if there are none. */
  default Optional<String> checkConstraints() {
    return Optional.empty();
  }
}
