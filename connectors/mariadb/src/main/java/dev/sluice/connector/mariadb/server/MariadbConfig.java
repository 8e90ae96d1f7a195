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
 * @param values for values that PostgreSQL does not have
 */
public record MariadbConfig(Endpoint endpoint, ValuePolicy values) implements SourceConfig {
  /** As the task file names it. */
  public static final String TYPE = "mariadb";

  /** The type of a MySQL source. */
  public static final String MYSQL = "mysql";

  /** How sessions are encrypted. */
  public static final String SSL_MODE = "sslMode";

  /** A file with the certificate of the server or of its authority. */
  public static final String SERVER_CERTIFICATE = "serverSslCert";

  private static final String NOT_ENCRYPTED = "disable";

  public static final UrlForm URL = url(TYPE);

  public static final UrlForm MYSQL_URL = url(MYSQL);

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

  /** A source whose values must all be those of PostgreSQL. */
  public MariadbConfig(Endpoint endpoint) {
    this(endpoint, ValuePolicy.REFUSE);
  }

  private static UrlForm url(String scheme) {
    return new UrlForm(
        scheme,
        List.of(),
        3306,
        List.of(SSL_MODE, SERVER_CERTIFICATE),
        Map.of(SSL_MODE, List.of(NOT_ENCRYPTED, "trust", "verify-ca", "verify-full")));
  }

  /** Reads the keys of its own; those of PostgreSQL are refused by name. */
  public static Function<Endpoint, SourceConfig> read(Fields section) {
    OF_POSTGRESQL.forEach(key -> section.misplaced(key, KEEPS_FOR_ALL));
    ValuePolicy values = ValuePolicy.read(section);
    return endpoint -> {
      if (sendsPasswordInClear(endpoint)) {
        section
            .problems()
            .add(
                section.placeOf("url"),
                "a password, and no encryption (sslMode)",
                "sslMode verify-full, verify-ca or trust: MySQL asks for the password itself, which"
                    + " only TLS hides",
                "Add ?sslMode=verify-ca&serverSslCert=FILE to the url; FILE is ca.pem of the"
                    + " server's data directory, or the certificate of its authority");
      }
      return new MariadbConfig(endpoint, values);
    };
  }

  /**
   * Whether a login may send the password so that others can read it: who answers as MySQL may ask
   * for it, or for one that is encrypted with a key that nobody proves.
   */
  public static boolean sendsPasswordInClear(Endpoint endpoint) {
    return endpoint.type().equals(MYSQL)
        && endpoint.password().isPresent()
        && !isEncrypted(endpoint);
  }

  /** Whether sessions and the reader of the log use TLS. */
  public static boolean isEncrypted(Endpoint endpoint) {
    return !endpoint.options().getOrDefault(SSL_MODE, NOT_ENCRYPTED).equals(NOT_ENCRYPTED);
  }
}
