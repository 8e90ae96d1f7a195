package dev.sluice.engine.context;

import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.postgres.FollowingTasks;
import dev.sluice.connector.postgres.catalog.PostgresTypes;
import dev.sluice.load.RowGuard;
import dev.sluice.sink.target.TargetConnection;
import java.util.Optional;

/**
 * What a target's catalog has of types, and of tasks that use the target as their source. The
 * target is PostgreSQL, so the PostgreSQL connector reads it; this is the only class of the engine
 * that names a connector. Independent of the task's own source. Stateless.
 */
public final class TargetCatalog {
  private TargetCatalog() {}

  /** The types of the target's columns, over the given session. */
  public static TypeCatalog types(TargetConnection target) {
    return PostgresTypes.over(target.jdbc());
  }

  /** Finds tables of the target that other tasks replicate from. */
  static RowGuard.Sources followed(TaskMark mark, Optional<String> ownRetention) {
    return new FollowingTasks(mark, ownRetention)::among;
  }
}
