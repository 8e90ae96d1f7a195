package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.SQLException;

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

  /** The session's pipeline for statements that are sent together. */
  StatementPipeline pipeline(Connection jdbc) throws SQLException;

  /** Cancels the running statement on the server. From any thread. */
  void cancel(Connection jdbc) throws SQLException;

  /** Closes all prepared statements, because tables were altered. */
  String forgetStatements();

  /** Defers deferrable constraints to the transaction's end. */
  String deferConstraints();

  /** Checks the deferred constraints at once. */
  String checkConstraints();
}
