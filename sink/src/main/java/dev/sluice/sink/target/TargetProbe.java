package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;

/** Checks that the target answers, over its own session. Used by one thread. */
public final class TargetProbe implements AutoCloseable {
  private static final int SECONDS = 5;

  private final TargetServer server;
  private TargetConnection connection;

  public TargetProbe(TargetServer server) {
    this.server = server;
  }

  /**
   * Returns when the target has answered.
   *
   * @throws SluiceException if it does not answer
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
      throw server.errors().classify("reach " + server, e);
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
