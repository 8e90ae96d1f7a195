package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceType;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Creates the source that a task file names. Its type is one of the connectors on the class path;
 * no class of the engine names a connector. Stateless.
 */
public final class Sources {
  private Sources() {}

  /**
   * The source of a task file.
   *
   * @param mark identifies the task as the owner of what it creates; called at each use
   */
  static Source of(TaskConfig config, Supplier<TaskMark> mark) {
    return factory(config).create(config.task().text(), config.source(), mark);
  }

  /** The source of a task without stored state: its objects are recognized by the task's name. */
  public static Source unowned(TaskConfig config) {
    return of(config, () -> TaskMark.ofName(config.task().text()));
  }

  /** The same server with another user, to whom nothing of the task belongs. */
  public static Source as(Endpoint endpoint, TaskConfig config) {
    SourceFactory factory = factory(config);
    String task = config.task().text();
    return factory.create(
        task,
        factory.reversed(config.source(), endpoint, task).orElseThrow(),
        () -> TaskMark.ofName(task));
  }

  /**
   * A stop position in the source's format, which was checked before; empty if it can only be found
   * in the log.
   */
  static Optional<Position> stopPosition(TaskConfig config, String text) {
    return factory(config).stopPosition(text);
  }

  /**
   * Requires that the source's tables can be compared with the target's.
   *
   * @throws SluiceException.Fatal with the reason if they cannot
   */
  public static void requireComparable(TaskConfig config) {
    refuse(notComparable(config));
  }

  /**
   * Requires that differing rows of the target can be corrected, too.
   *
   * @throws SluiceException.Fatal with the reason if they cannot
   */
  public static void requireCorrectable(TaskConfig config) {
    refuse(notComparable(config).or(() -> TargetLimits.notCorrectable(config.target())));
  }

  private static Optional<Problem> notComparable(TaskConfig config) {
    return unowned(config).notComparable().or(() -> TargetLimits.notComparable(config.target()));
  }

  private static void refuse(Optional<Problem> found) {
    found.ifPresent(
        problem -> {
          throw new SluiceException.Fatal(problem);
        });
  }

  private static SourceFactory factory(TaskConfig config) {
    SourceType type = SourceType.of(config.source());
    if (type instanceof SourceFactory factory) {
      return factory;
    }
    throw new IllegalStateException(
        "BUG: source type " + type.name() + " can be configured and not created");
  }
}
