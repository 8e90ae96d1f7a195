package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds tables of a task that the target's own replication writes to as well. Neither a constraint
 * nor a trigger keeps the two apart, and only a comparison finds what the other one has written.
 * Stateless.
 */
public final class SubscribedTables {
  private SubscribedTables() {}

  /**
   * A warning for each such table.
   *
   * @param targets the tables of the task by their names on the target
   * @throws SluiceException if the target cannot be queried
   */
  public static List<String> warnings(TargetServer server, Collection<TableId> targets) {
    try (TargetConnection connection = server.borrow()) {
      Map<TableId, String> subscribed =
          new TreeMap<>(connection.dialect().checks().subscribedTables(connection));
      subscribed.keySet().retainAll(targets);
      return subscribed.entrySet().stream()
          .map(
              table ->
                  "target table %s is written by subscription %s of the target as well: what it writes is seen by nobody but a comparison. If it is not meant to, run there: ALTER SUBSCRIPTION %s DISABLE"
                      .formatted(table.getKey(), table.getValue(), TableId.quote(table.getValue())))
          .toList();
    } catch (SQLException e) {
      throw server.errors().classify("read which tables are subscribed", e);
    }
  }
}
