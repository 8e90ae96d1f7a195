package dev.sluice.connector.generic;

import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.process.ConnectorFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** A database on a real server, with the connector that reads it. */
interface CapturedDatabase {
  KnownConnector connector();

  /** With the connector. */
  Path path();

  /** The same, loaded once. */
  ConnectorFolder folder();

  /** The properties that a task file would have. */
  Map<String, String> properties();

  /** Of its tables. */
  String schema();

  /** What must be done before a capture begins, again if it did not come to a bookmark. */
  void beforeSnapshot() throws SQLException;

  /** From now on the log is kept, so that a task can start at a place of it. */
  void keepLog() throws SQLException;

  /** Another task may start in the log that is kept. */
  void keepAgain() throws SQLException;

  /** The present end of the log, as a task file names it. */
  String place() throws SQLException;

  /** How the log can lose what a connector that goes on would read next. */
  List<String> waysToLoseTheLog();

  void loseTheLog(String way) throws SQLException;

  /** The statement that gives a column another type. */
  String alter(String table, String column, String type);

  Connection connect() throws SQLException;
}
