package dev.sluice.connector.postgres;

import dev.sluice.config.Problem;
import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** What a publication carries of its tables' changes. Stateless. */
final class PublicationShape {
  private static final String SHAPE =
      """
      SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate, pubviaroot
      FROM pg_catalog.pg_publication WHERE pubname = ?
      """;

  private PublicationShape() {}

  /** Why changes would be missing; empty where all come, and where there is no such publication. */
  static Optional<Problem> problem(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SHAPE)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next() || rows.getBoolean(1) && !rows.getBoolean(2)) {
          return Optional.empty();
        }
        return Optional.of(
            new Problem(
                "publication " + name,
                rows.getBoolean(2)
                    ? "it publishes partitions as their root"
                    : "it leaves operations out",
                "insert, update, delete, truncate, each partition under its own name",
                "Run: ALTER PUBLICATION %s SET (publish = 'insert, update, delete, truncate', publish_via_partition_root = false);"
                        .formatted(TableId.quote(name))
                    + " What was left out meanwhile does not come: where the task ran, copy its"
                    + " tables anew with sluice reload"));
      }
    }
  }
}
