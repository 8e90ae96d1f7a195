package dev.sluice.engine.context;

import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.postgres.FollowingTasks;
import dev.sluice.connector.postgres.catalog.PostgresTypes;
import dev.sluice.load.RowGuard;
import dev.sluice.sink.target.TargetConnection;
import java.util.List;
import java.util.Optional;

/**
 * What the catalog of a PostgreSQL target has of types, and of tasks that use the target as their
 * source. The PostgreSQL connector reads it; this is the only class of the engine that names a
 * connector. Independent of the task's own source. Stateless.
 */
public final class PostgresTargetCatalog {
  private PostgresTargetCatalog() {}

  /** The types of a PostgreSQL target's columns, over the given session. */
  public static TypeCatalog types(TargetConnection target) {
    return PostgresTypes.over(target.jdbc(), target.errors()::classify);
  }

  /**
   * Finds tables of the target that other tasks replicate from. Only on PostgreSQL such tasks leave
   * something by which they are found.
   */
  static RowGuard.Sources followed(Endpoint target, TaskMark mark, Optional<String> ownRetention) {
    return target.type().equals(Endpoint.POSTGRESQL)
        ? new FollowingTasks(mark, ownRetention)::among
        : (connection, tables) -> List.of();
  }
}
