package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.Fields;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.UrlForm;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A MariaDB or MySQL source: the database that the url names. Sluice creates nothing there.
 * Immutable.
 *
 * @param endpoint its options are properties of MariaDB Connector/J
 */
public record MariadbConfig(Endpoint endpoint) implements SourceConfig {
  /** As the task file names it. */
  public static final String TYPE = "mariadb";

  /** The type of a MySQL source, which no task file may name yet. */
  public static final String MYSQL = "mysql";

  /** How sessions are encrypted. */
  public static final String SSL_MODE = "sslMode";

  /** A file with the certificate of the server or of its authority. */
  public static final String SERVER_CERTIFICATE = "serverSslCert";

  public static final UrlForm URL =
      new UrlForm(
          TYPE,
          List.of(),
          3306,
          List.of(SSL_MODE, SERVER_CERTIFICATE),
          Map.of(SSL_MODE, List.of("disable", "trust", "verify-ca", "verify-full")));

  private static final String KEEPS_FOR_ALL =
      "Remove it: it is a key of PostgreSQL. This server keeps its log for all readers alike, and"
          + " Sluice creates nothing there";

  /** Keys of a PostgreSQL source, which a task file may still have. */
  private static final List<String> OF_POSTGRESQL =
      List.of(
          "slot-name",
          "publication-name",
          "replica-identity-full",
          "triggers-beside-subscriptions",
          "take-slot");

  /** MariaDB has no keys of its own; those of PostgreSQL are refused by name. */
  public static Function<Endpoint, SourceConfig> read(Fields section) {
    OF_POSTGRESQL.forEach(key -> section.misplaced(key, KEEPS_FOR_ALL));
    return MariadbConfig::new;
  }
}
