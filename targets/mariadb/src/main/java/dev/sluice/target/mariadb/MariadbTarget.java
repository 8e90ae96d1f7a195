package dev.sluice.target.mariadb;

import dev.sluice.config.task.UrlForm;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.kind.TargetKind;
import java.util.List;
import java.util.Map;

/** MariaDB as a type of target. The options of its url are the driver's. Immutable. */
public final class MariadbTarget implements TargetKind {
  private static final String SSL_MODE = "sslMode";

  private static final UrlForm URL =
      new UrlForm(
          MariadbDialect.INSTANCE.type(),
          List.of(),
          3306,
          List.of(SSL_MODE, "serverSslCert"),
          Map.of(SSL_MODE, List.of("disable", "trust", "verify-ca", "verify-full")));

  @Override
  public String name() {
    return MariadbDialect.INSTANCE.type();
  }

  @Override
  public UrlForm url() {
    return URL;
  }

  @Override
  public TargetDialect dialect() {
    return MariadbDialect.INSTANCE;
  }
}
