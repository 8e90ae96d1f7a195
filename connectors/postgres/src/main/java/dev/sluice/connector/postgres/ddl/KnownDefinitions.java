package dev.sluice.connector.postgres.ddl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.capture.SourceTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the event triggers' table definitions as they were at a log position. A row change was made
 * under the newest definition before it, since altering a table locks out all others. Stateless.
 */
public final class KnownDefinitions {

  /** For each relation that ever had the name, the newest entry at the position. */
  private static final String AT_PLACE =
      """
      SELECT definition FROM (
        SELECT DISTINCT ON (relation) definition FROM sluice_ddl.known
        WHERE relation IN (SELECT relation FROM sluice_ddl.known
                           WHERE definition ->> 'schema' = ? AND definition ->> 'name' = ?)
          AND place <= ?::pg_catalog.pg_lsn
        ORDER BY relation, entry DESC) newest
      WHERE definition ->> 'schema' = ? AND definition ->> 'name' = ?
      """;

  private static final String FIRST =
      """
      SELECT definition FROM sluice_ddl.known
      WHERE definition ->> 'schema' = ? AND definition ->> 'name' = ?
      ORDER BY place, entry LIMIT 1
      """;

  private static final String FOLLOWED =
      """
      SELECT 1 FROM sluice_ddl.followed
      WHERE task = ? AND relation = ? AND since <= ?::pg_catalog.pg_lsn
        AND (until IS NULL OR until > ?::pg_catalog.pg_lsn)
      """;

  private static final String LEAVES =
      """
      SELECT definition ->> 'schema', definition ->> 'name' FROM (
        SELECT DISTINCT ON (relation) definition FROM sluice_ddl.known
        WHERE place <= ?::pg_catalog.pg_lsn
        ORDER BY relation, entry DESC) newest
      WHERE definition #>> '{root,schema}' = ? AND definition #>> '{root,name}' = ?
        AND definition ->> 'partitionedBy' IS NULL
      """;

  private KnownDefinitions() {}

  /**
   * The table of that name; at a position before the triggers' installation, its first known
   * definition.
   *
   * @param task decides whether the table is marked as replicated
   */
  public static Optional<SourceTable> describe(
      Connection connection, String task, TableId table, Position place) throws SQLException {
    Optional<JsonNode> found =
        one(
            connection,
            AT_PLACE,
            table.schema(),
            table.name(),
            place.toString(),
            table.schema(),
            table.name());
    if (found.isEmpty()) {
      found = one(connection, FIRST, table.schema(), table.name());
    }
    if (found.isEmpty()) {
      return Optional.empty();
    }
    long root = found.get().path("root").path("relation").asLong();
    return Optional.of(
        DefinitionJson.forCapture(found.get(), isFollowed(connection, task, root, place)));
  }

  private static boolean isFollowed(Connection connection, String task, long root, Position place)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FOLLOWED)) {
      statement.setString(1, task);
      statement.setLong(2, root);
      statement.setString(3, place.toString());
      statement.setString(4, place.toString());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** The leaves of a partitioned table; of an ordinary table itself. */
  public static Set<TableId> leavesOf(Connection connection, TableId root, Position place)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LEAVES)) {
      statement.setString(1, place.toString());
      statement.setString(2, root.schema());
      statement.setString(3, root.name());
      Set<TableId> leaves = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          leaves.add(new TableId(rows.getString(1), rows.getString(2)));
        }
      }
      return leaves;
    }
  }

  private static Optional<JsonNode> one(Connection connection, String sql, String... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(DefinitionJson.parse(row.getString(1))) : Optional.empty();
      }
    }
  }
}
