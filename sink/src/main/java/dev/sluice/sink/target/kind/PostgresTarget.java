package dev.sluice.sink.target.kind;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.UrlForm;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.postgres.PostgresDialect;

/** PostgreSQL as a type of target. Immutable. */
public final class PostgresTarget implements TargetKind {

  @Override
  public String name() {
    return Endpoint.POSTGRESQL;
  }

  @Override
  public UrlForm url() {
    return UrlForm.POSTGRESQL;
  }

  @Override
  public TargetDialect dialect() {
    return PostgresDialect.INSTANCE;
  }
}
