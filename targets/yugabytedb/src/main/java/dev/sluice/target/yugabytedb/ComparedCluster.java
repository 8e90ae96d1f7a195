package dev.sluice.target.yugabytedb;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import java.sql.Connection;
import java.sql.SQLException;

/** The cluster as a side of comparisons, whose sessions only read. Threadsafe. */
record ComparedCluster(TargetSessions sessions, TargetLogin login, TargetErrors errors)
    implements SideServer {
  @Override
  public Connection open() throws SQLException {
    return sessions.connect(login);
  }

  @Override
  public String settings() {
    return YugabyteSessions.OF_READERS;
  }

  @Override
  public SluiceException failed(String attempted, SQLException error) {
    return errors.classify(attempted, error);
  }

  @Override
  public String toString() {
    return "target";
  }
}
