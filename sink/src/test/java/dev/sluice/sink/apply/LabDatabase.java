package dev.sluice.sink.apply;

import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty database of a test server, on which a {@link TargetLab} is built. */
public interface LabDatabase {

  /** Opens a session of an administrator, which has none of the settings for applying. */
  Connection connect() throws SQLException;

  /** The server's port on loopback. */
  int port();

  /** The database as a target, by way of this port. */
  TargetServer serverAt(int port);

  /** Creates the schemas {@code src} and {@code dst}. */
  void createSchemas(Connection session) throws SQLException;

  /** Deletes what was created. */
  void drop() throws SQLException;
}
