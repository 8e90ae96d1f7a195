package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Finds rights of the target's user that a task does not need. They are a risk: checks and
 * generated columns that users of the source define also run on the target with this user's rights.
 * Stateless.
 */
public final class LoaderRights {
  private LoaderRights() {}

  /**
   * Returns a warning if the user has such rights.
   *
   * @throws SluiceException if the target cannot be queried
   */
  public static Optional<String> warning(TargetServer server) {
    try (TargetConnection connection = server.borrow()) {
      return connection
          .dialect()
          .checks()
          .excessiveRights(connection)
          .map(
              rights ->
                  "user %s of the target is %s: checks, generated columns and functions that users of the source wrote for their tables run on the target with its rights. A user that owns the target's tables is enough"
                      .formatted(server.user(), rights));
    } catch (SQLException e) {
      throw server.errors().classify("read the rights of user " + server.user(), e);
    }
  }
}
