package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SharedCluster;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks of the database and of the user's rights, which differ between targets, with the fixes.
 * Stateless, threadsafe.
 */
public interface ServerChecks {

  /** Problems of the database for any task, such as its encoding. */
  List<Problem> database(TargetConnection connection, TargetServer server) throws SQLException;

  /** Notes on the database that stop no task. */
  default List<String> notes(TargetConnection connection) throws SQLException {
    return List.of();
  }

  /** The cluster to which the server belongs; empty if it belongs to none. */
  default Optional<SharedCluster> cluster(TargetConnection connection) throws SQLException {
    return Optional.empty();
  }

  /**
   * Checks that the user may create a schema, or tables in it.
   *
   * @param thing name of the schema in the problem
   * @param expected what the schema is for
   */
  Optional<Problem> schema(
      TargetConnection connection,
      TargetServer server,
      String schema,
      String thing,
      String expected)
      throws SQLException;

  /** Checks that the target knows a table by exactly this name. */
  default Optional<Problem> name(TargetConnection connection, TableId table) throws SQLException {
    return Optional.empty();
  }

  /** Checks that the user has the rights of the server that comparisons need. */
  default Optional<Problem> comparison(TargetConnection connection, TargetServer server)
      throws SQLException {
    return Optional.empty();
  }

  /** Checks that the user may drop a table that the task creates again. */
  Optional<Problem> dropping(TargetConnection connection, TargetServer server, TableId table)
      throws SQLException;

  /** Checks that the user may read and change all rows of a table. */
  List<Problem> rights(TargetServer server, TargetTable table);

  /** How a user gets the right to switch off foreign keys, triggers and rules. */
  String fixOfFiring(String user);

  /** What to do about a session that could not be opened. */
  String fixOfUnreachable(SluiceException failure);

  /** Whether a session could not be opened because the password is wrong or missing. */
  boolean isOfPassword(SluiceException failure);

  /**
   * The tables that an enabled subscription of this database writes to, with the name of one; for a
   * partition its root as well.
   */
  Map<TableId, String> subscribedTables(TargetConnection connection) throws SQLException;

  /** The rights of the user that no task needs, for messages; empty if there are none. */
  Optional<String> excessiveRights(TargetConnection connection) throws SQLException;
}
