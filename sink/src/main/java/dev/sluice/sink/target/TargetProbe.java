package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;

/**
 * Asks the target again and again whether it answers, over a session of its own. For one thread.
 */
public final class TargetProbe implements AutoCloseable {
  private static final int SECONDS = 5;

  private final TargetServer server;
  private TargetConnection connection;

  public TargetProbe(TargetServer server) {
    this.server = server;
  }

  /**
   * Returns when it has answered.
   *
   * @throws SluiceException why it does not
   */
  public void requireAnswer() {
    try {
      if (connection != null && connection.jdbc().isValid(SECONDS)) {
        connection.rollback();
        return;
      }
      close();
      connection = server.connect();
    } catch (SQLException e) {
      throw TargetErrors.classify("ask " + server, e);
    }
  }

  @Override
  public void close() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}
