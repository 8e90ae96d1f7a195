package dev.sluice.sink.target.kind;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TargetType;
import dev.sluice.config.task.UrlForm;

/** PostgreSQL as a type of target. Immutable. */
public final class PostgresTarget implements TargetType {

  @Override
  public String name() {
    return Endpoint.POSTGRESQL;
  }

  @Override
  public UrlForm url() {
    return UrlForm.POSTGRESQL;
  }
}
