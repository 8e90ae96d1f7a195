package dev.sluice.target.db2;

import dev.sluice.config.task.UrlForm;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.kind.TargetKind;
import java.util.List;
import java.util.Map;

/** Db2 as a type of target. The options of its url are the driver's. Immutable. */
public final class Db2Target implements TargetKind {
  private static final UrlForm URL =
      new UrlForm(
          Db2Dialect.TYPE,
          List.of(),
          50_000,
          List.of(Db2Url.ENCRYPTED, "sslCertLocation", "securityMechanism"),
          Map.of(Db2Url.ENCRYPTED, List.of("true", "false")));

  @Override
  public String name() {
    return Db2Dialect.TYPE;
  }

  @Override
  public UrlForm url() {
    return URL;
  }

  @Override
  public TargetDialect dialect() {
    return Db2Dialect.INSTANCE;
  }
}
