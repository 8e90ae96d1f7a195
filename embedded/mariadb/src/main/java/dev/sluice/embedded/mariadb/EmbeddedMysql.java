package dev.sluice.embedded.mariadb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A MySQL server. No library has its binaries: the system property {@code sluice.mysqld} or the
 * environment's {@code SLUICE_MYSQLD} names the program {@code mysqld}, or a script that becomes it
 * by {@code exec}. CONTRIBUTING says how to get one.
 */
public final class EmbeddedMysql extends EmbeddedServer {
  /** Why tests that need it are skipped without it. */
  public static final String MISSING =
      "no MySQL: neither -Dsluice.mysqld nor SLUICE_MYSQLD names its program";

  private EmbeddedMysql(Place place, List<String> options, Map<String, String> environment) {
    super(MysqlProgram.found().orElseThrow().command(), place, options, environment);
  }

  /** Starts a server with all defaults. */
  public static EmbeddedMysql start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Whether there is a program for it. */
  public static boolean isAvailable() {
    return MysqlProgram.found().isPresent();
  }

  /** Collects the options of a server. Not threadsafe. */
  public static final class Builder extends ServerBuilder<EmbeddedMysql> {
    private Builder() {
      super("mysql");
      // Debian names a folder that a package would make.
      setting("secure-file-priv", "NULL");
      setting("mysqlx", "OFF");
      setting("performance-schema", "OFF");
      // Certificates are made at the first start otherwise.
      setting("auto-generate-certs", "OFF");
      setting("caching-sha2-password-auto-generate-rsa-keys", "OFF");
      setting("sql-require-primary-key", "OFF");
    }

    @Override
    void fill(Path data) throws IOException {
      MysqlProgram.found().orElseThrow().copyNewData(data);
    }

    @Override
    EmbeddedMysql server(
        EmbeddedServer.Place place, List<String> options, Map<String, String> environment) {
      return new EmbeddedMysql(place, options, environment);
    }
  }
}
