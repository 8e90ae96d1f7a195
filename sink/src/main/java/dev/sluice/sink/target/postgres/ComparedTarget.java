package dev.sluice.sink.target.postgres;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The target's server as a side of comparisons: its sessions have none of the settings for
 * applying. Threadsafe.
 *
 * @param settings those that its sessions need beside the ones of any side; empty without any
 */
public record ComparedTarget(
    TargetSessions sessions, TargetLogin login, TargetErrors errors, String settings)
    implements SideServer {
  @Override
  public Connection open() throws SQLException {
    return sessions.connect(login);
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
