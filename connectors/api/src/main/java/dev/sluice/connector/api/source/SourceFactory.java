package dev.sluice.connector.api.source;

import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.SourceType;
import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A type of source, with the sources that it makes. A connector has one, and names it in {@code
 * META-INF/services/dev.sluice.config.task.SourceType}. Threadsafe.
 */
public interface SourceFactory extends SourceType {

  /**
   * The last position at the place that a text without {@link #problemOf a problem} names: a task
   * that stops there applies it.
   *
   * @return empty if the text names transactions: {@link SourceLog#stop} tells where they end
   */
  Optional<Position> stopPosition(String text);

  /** A position in the words of the database, such as an LSN, without the name of a file. */
  default String textOf(Position position) {
    return position.toString();
  }

  /**
   * Makes a source; opens no session.
   *
   * @param config as this type has {@link #read} it
   * @param mark identifies the task as the owner of what it creates; called at each use
   */
  Source create(String task, SourceConfig config, Supplier<TaskMark> mark);
}
