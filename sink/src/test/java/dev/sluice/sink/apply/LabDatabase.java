package dev.sluice.sink.apply;

import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty database of a test server, on which a {@link TargetLab} is built. */
public interface LabDatabase {

  /** Opens a session of an administrator, which has none of the settings for applying. */
  Connection connect() throws SQLException;

  /** The database as a target. */
  TargetServer server();

  /** The names of the schemas that the lab creates. */
  void createSchemas(Connection session) throws SQLException;

  /** Deletes what was created. */
  void drop() throws SQLException;
}
