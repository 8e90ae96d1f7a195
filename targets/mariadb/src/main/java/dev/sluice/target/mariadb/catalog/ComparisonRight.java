package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.document.Problem;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The right PROCESS. With it a comparison sees whether a table was altered or truncated after its
 * snapshot, and whether its reads block others. Stateless.
 */
public final class ComparisonRight {
  private static final int NO_RIGHT = 1227;

  private ComparisonRight() {}

  /** Found by a try, since rights may come from roles. */
  static Optional<Problem> problem(Connection session, ServerKind kind, String server)
      throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement
          .executeQuery("SELECT 1 FROM information_schema." + kind.innodbTables() + " LIMIT 1")
          .close();
      return Optional.empty();
    } catch (SQLException e) {
      if (e.getErrorCode() != NO_RIGHT) {
        throw e;
      }
      return Optional.of(missing(server));
    }
  }

  /** The problem of a server whose user does not have it. */
  public static Problem missing(String server) {
    return new Problem(
        server,
        "no right to see InnoDB's tables, and the statements that wait",
        "PROCESS, by which a comparison sees that a table was altered, and that others wait for it",
        "Run: GRANT PROCESS ON *.* TO the user of target.url");
  }
}
