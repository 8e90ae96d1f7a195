package dev.sluice.connector.api.source;

import dev.sluice.config.task.SourceConfig;
import java.util.function.Supplier;

/** Makes the sources of one kind of database. Threadsafe. */
@FunctionalInterface
public interface SourceFactory {

  /**
   * Makes a source; opens no session.
   *
   * @param mark identifies the task as the owner of what it creates; called at each use
   */
  Source create(String task, SourceConfig config, Supplier<TaskMark> mark);
}
