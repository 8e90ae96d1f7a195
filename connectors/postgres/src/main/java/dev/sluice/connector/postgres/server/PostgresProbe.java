package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SourceProbe;
import java.sql.Connection;
import java.sql.SQLException;

/** Tests whether the source answers, over a session of its own. Used by one thread. */
public final class PostgresProbe implements SourceProbe {
  private static final int SECONDS = 5;

  private final SourceServer server;
  private Connection connection;

  public PostgresProbe(SourceServer server) {
    this.server = server;
  }

  /**
   * Returns when the source has answered.
   *
   * @throws SluiceException if it does not answer
   */
  @Override
  public void requireAnswer() {
    try {
      if (connection != null && connection.isValid(SECONDS)) {
        return;
      }
      close();
      connection = server.borrow();
    } catch (SQLException e) {
      throw SourceErrors.classify("connect to " + server, e);
    }
  }

  @Override
  public void close() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // The session is already broken.
    } finally {
      connection = null;
    }
  }
}
