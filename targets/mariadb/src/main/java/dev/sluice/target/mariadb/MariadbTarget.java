package dev.sluice.target.mariadb;

import dev.sluice.config.task.UrlForm;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.kind.TargetKind;
import java.util.List;
import java.util.Map;

/** MariaDB as a type of target. The options of its url are the driver's. Immutable. */
public class MariadbTarget implements TargetKind {
  private final MariadbDialect dialect;

  /** For the service that finds it. */
  public MariadbTarget() {
    this(MariadbDialect.INSTANCE);
  }

  MariadbTarget(MariadbDialect dialect) {
    this.dialect = dialect;
  }

  @Override
  public final String name() {
    return dialect.type();
  }

  @Override
  public final UrlForm url() {
    return new UrlForm(
        dialect.type(),
        List.of(),
        3306,
        List.of(UrlEncryption.SSL_MODE, "serverSslCert"),
        Map.of(
            UrlEncryption.SSL_MODE,
            List.of(UrlEncryption.NONE, "trust", "verify-ca", "verify-full")));
  }

  @Override
  public final TargetDialect dialect() {
    return dialect;
  }
}
