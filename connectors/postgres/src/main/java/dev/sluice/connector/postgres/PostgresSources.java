package dev.sluice.connector.postgres;

import dev.sluice.config.document.Fields;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.UrlForm;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** PostgreSQL as a type of source. Threadsafe. */
public final class PostgresSources implements SourceFactory {
  private static final Pattern LSN = Pattern.compile("[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}");

  @Override
  public String name() {
    return Endpoint.POSTGRESQL;
  }

  @Override
  public UrlForm url() {
    return UrlForm.POSTGRESQL;
  }

  @Override
  public Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
    return PostgresConfig.read(section, defaultName);
  }

  @Override
  public Optional<SourceConfig> reversed(SourceConfig forward, Endpoint endpoint, String name) {
    return forward instanceof PostgresConfig postgres
        ? Optional.of(postgres.at(endpoint, name))
        : Optional.empty();
  }

  @Override
  public Optional<WrongPosition> problemOf(String position) {
    return LSN.matcher(position).matches()
        ? Optional.empty()
        : Optional.of(
            new WrongPosition(
                "a position in the source's log, such as 4AF/B00000D0",
                "Write it in the form of pg_current_wal_lsn()"));
  }

  @Override
  public Optional<Position> stopPosition(String text) {
    return Optional.of(Position.parse(text));
  }

  @Override
  public Source create(String task, SourceConfig config, Supplier<TaskMark> mark) {
    return new PostgresSource(task, (PostgresConfig) config, mark);
  }
}
