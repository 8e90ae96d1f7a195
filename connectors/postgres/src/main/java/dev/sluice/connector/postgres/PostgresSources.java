package dev.sluice.connector.postgres;

import dev.sluice.config.task.SourceConfig;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import java.util.function.Supplier;

/** Makes PostgreSQL sources. Threadsafe. */
public final class PostgresSources implements SourceFactory {

  @Override
  public Source create(String task, SourceConfig config, Supplier<TaskMark> mark) {
    return new PostgresSource(task, config, mark);
  }
}
