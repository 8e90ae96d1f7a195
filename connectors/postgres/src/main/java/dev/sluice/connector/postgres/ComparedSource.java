package dev.sluice.connector.postgres;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.SQLException;

/** The source's server as a side of comparisons. Threadsafe. */
record ComparedSource(SourceServer server) implements SideServer {
  @Override
  public Connection open() throws SQLException {
    return server.open();
  }

  @Override
  public SluiceException failed(String attempted, SQLException error) {
    return SourceErrors.classify(attempted, error);
  }

  @Override
  public String toString() {
    return "source";
  }
}
