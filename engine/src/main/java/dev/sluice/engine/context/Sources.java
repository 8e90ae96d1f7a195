package dev.sluice.engine.context;

import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.postgres.FollowingTasks;
import dev.sluice.connector.postgres.PostgresSources;
import dev.sluice.connector.postgres.catalog.PostgresTypes;
import dev.sluice.load.RowGuard;
import dev.sluice.sink.target.TargetConnection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The kinds of sources. The only class of the engine that names a source's database. Stateless. It
 * also lends what PostgreSQL as a source knows to PostgreSQL as a target.
 */
public final class Sources {
  /** By the type in the task file. */
  private static final Map<String, SourceFactory> KINDS =
      Map.of(SourceConfig.POSTGRESQL, new PostgresSources());

  private Sources() {}

  /**
   * The source of a task file.
   *
   * @param mark identifies the task as the owner of what it creates; called at each use
   */
  static Source of(TaskConfig config, Supplier<TaskMark> mark) {
    return KINDS.get(config.source().type()).create(config.task().text(), config.source(), mark);
  }

  /** The source of a task without stored state: its objects are recognized by the task's name. */
  public static Source unowned(TaskConfig config) {
    return of(config, () -> TaskMark.ofName(config.task().text()));
  }

  /** The types of the target's columns, over the given session. */
  public static TypeCatalog typesOf(TargetConnection target) {
    return PostgresTypes.over(target.jdbc());
  }

  /** Finds tables of the target that other tasks replicate from. */
  static RowGuard.Sources amongTargets(TaskMark mark, Optional<String> ownRetention) {
    return new FollowingTasks(mark, ownRetention)::among;
  }
}
