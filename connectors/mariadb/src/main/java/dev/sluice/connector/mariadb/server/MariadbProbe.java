package dev.sluice.connector.mariadb.server;

import dev.sluice.connector.api.source.SourceProbe;
import java.sql.Connection;
import java.sql.SQLException;

/** Tests whether the source answers, over a session of its own. Used by one thread. */
public final class MariadbProbe implements SourceProbe {
  private static final int SECONDS = 5;

  private final MariadbServer server;
  private Connection connection;

  public MariadbProbe(MariadbServer server) {
    this.server = server;
  }

  @Override
  public void requireAnswer() {
    try {
      if (connection != null && connection.isValid(SECONDS)) {
        return;
      }
      close();
      connection = server.open();
    } catch (SQLException e) {
      throw MariadbFailures.classify("connect to " + server, e);
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
