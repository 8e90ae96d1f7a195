package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds tables of a task that the target's own replication also writes to. No constraint or trigger
 * prevents that, and only a comparison finds its writes. Stateless.
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
                  "target table %s is also written by subscription %s of the target, and only a comparison notices these writes. If the subscription should not write to it, run on the target: ALTER SUBSCRIPTION %s DISABLE"
                      .formatted(table.getKey(), table.getValue(), TableId.quote(table.getValue())))
          .toList();
    } catch (SQLException e) {
      throw server.errors().classify("read which tables are subscribed", e);
    }
  }
}
