package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.connector.api.source.SourceActivity;
import dev.sluice.connector.api.source.TableLockHolder;
import dev.sluice.connector.api.source.TableWork;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Objects and activity of a MariaDB database. Table locks are not checked. Threadsafe. */
final class MariadbActivity implements SourceActivity {
  private static final String OBJECTS =
      """
      SELECT 'VIEW', TABLE_NAME, TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?
      UNION ALL SELECT 'FUNCTION', NULL, ROUTINE_NAME FROM information_schema.ROUTINES
        WHERE ROUTINE_SCHEMA = ?
      UNION ALL SELECT 'TRIGGER', EVENT_OBJECT_TABLE, TRIGGER_NAME
        FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ?
      """;

  private final MariadbServer server;

  MariadbActivity(MariadbServer server) {
    this.server = server;
  }

  @Override
  public List<TableLockHolder> lockHolders(Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public List<TableWork> work(Collection<TableId> tables) {
    return List.of();
  }

  /** All tables: Sluice's sessions can only read. */
  @Override
  public List<TableId> notLockable(Collection<TableId> tables) {
    return List.copyOf(tables);
  }

  @Override
  public List<String> timeoutsBelow(Duration limit) {
    return List.of();
  }

  @Override
  public Set<SchemaObject> objects(Collection<String> schemas) {
    return server.read(
        "list the views, routines and triggers of " + server,
        session -> objects(new MariadbQuery(session), schemas));
  }

  private static Set<SchemaObject> objects(MariadbQuery query, Collection<String> schemas)
      throws SQLException {
    Set<SchemaObject> objects = new LinkedHashSet<>();
    for (String schema : schemas) {
      for (String[] row : query.rows(OBJECTS, schema, schema, schema)) {
        objects.add(
            new SchemaObject(
                ObjectKind.valueOf(row[0]),
                schema,
                Optional.ofNullable(row[1]),
                row[2],
                Optional.empty()));
      }
    }
    return objects;
  }
}
