package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Finds rights of the target's user that a task does not need. They are a risk: checks and
 * generated columns that users of the source define also run on the target with this user's rights.
 * Stateless.
 */
public final class LoaderRights {
  private static final String BEYOND =
      """
      SELECT string_agg(what, ', ' ORDER BY what) FROM (
        SELECT 'a superuser' AS what FROM pg_roles
        WHERE rolname = current_user AND rolsuper
        UNION ALL
        SELECT 'a member of ' || g.rolname FROM pg_roles u, pg_roles g
        WHERE u.rolname = current_user AND NOT u.rolsuper
          AND g.rolname IN ('pg_read_server_files', 'pg_write_server_files',
            'pg_execute_server_program')
          AND pg_has_role(u.oid, g.oid, 'MEMBER')) rights
      """;

  private LoaderRights() {}

  /**
   * Returns a warning if the user has such rights.
   *
   * @throws SluiceException if the target cannot be queried
   */
  public static Optional<String> warning(TargetServer server) {
    try (TargetConnection connection = server.borrow();
        Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(BEYOND)) {
      row.next();
      return Optional.ofNullable(row.getString(1))
          .map(
              rights ->
                  "user %s of the target is %s: checks, generated columns and functions that users of the source wrote for their tables run on the target with its rights. A user that owns the target's tables is enough"
                      .formatted(server.user(), rights));
    } catch (SQLException e) {
      throw server.errors().classify("read the rights of user " + server.user(), e);
    }
  }
}
