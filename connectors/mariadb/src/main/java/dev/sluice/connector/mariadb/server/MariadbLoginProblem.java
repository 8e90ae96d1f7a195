package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.Endpoint;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns a failed connection into a problem, by the server's error number. Stateless. */
public final class MariadbLoginProblem {
  /** A number that no server uses, nor the driver: another server than the task file says. */
  static final int OTHER_SERVER = -2;

  /** What the driver says if the password would have to be encrypted with a key that it lacks. */
  private static final String WANTS_ENCRYPTION = "RSA public key is not available";

  /** What the driver says of a plugin that {@link MariadbServer} does not allow. */
  private static final Pattern NOT_ANSWERED =
      Pattern.compile("doesn't permit requested plugin \\('([^']*)'\\)");

  private static final Pattern OF_TLS =
      Pattern.compile("(?is).*\\b(ssl|tls|certificat\\w*|PKIX)\\b.*");

  private MariadbLoginProblem() {}

  public static Problem of(Endpoint endpoint, SQLException error) {
    String thing = "source " + endpoint;
    String text = MariadbFailures.textOf(error);
    return switch (error.getErrorCode()) {
      case 1045, 1698 ->
          new Problem(
              thing,
              "the server refuses the user or its password from this machine",
              "a user that may connect from here, and its password",
              "Correct source.password or the user in source.url, or create the user for this host");
      case 1044, 1049 ->
          new Problem(
              thing,
              "there is no database " + endpoint.database() + ", or the user may not see it",
              "the name of a database, which is case-sensitive",
              "Correct source.url, or grant SELECT on that database");
      case OTHER_SERVER ->
          new Problem(
              thing,
              text,
              "a server of the source's type",
              "Correct source.url, or source.type if that server can be a source");
      case 1820, 1862, 3118, 4151 ->
          new Problem(
              thing,
              "the server refuses the login: " + text,
              "a user that may log in, whose password has not expired",
              "Run as an administrator: ALTER USER %s ACCOUNT UNLOCK; or give it a password again"
                  .formatted(endpoint.user()));
      case 1251, 2059 -> plugin(thing, endpoint, text);
      case 3159 -> unencrypted(thing, "the server takes encrypted connections only");
      default -> other(thing, endpoint, error, text);
    };
  }

  private static Problem plugin(String thing, Endpoint endpoint, String text) {
    Matcher refused = NOT_ANSWERED.matcher(text);
    return new Problem(
        thing,
        refused.find()
            ? "the server asks for a login by %s. Without TLS that could reveal the password, so it was not answered"
                .formatted(refused.group(1))
            : "its user logs in by a plugin that is not supported: " + text,
        "a user with a password of "
            + (endpoint.type().equals(MariadbConfig.MYSQL)
                ? "caching_sha2_password"
                : "mysql_native_password"),
        "Alter the user, or create another one for the task");
  }

  private static Problem other(String thing, Endpoint endpoint, SQLException error, String text) {
    if (text.startsWith(WANTS_ENCRYPTION)) {
      return unencrypted(
          thing,
          "the server asks for the password itself (caching_sha2_password, as MySQL does), which"
              + " is not sent over a connection without encryption");
    }
    if (error.getErrorCode() <= 0 && OF_TLS.matcher(text).matches()) {
      return new Problem(
          thing,
          "its encryption fails: " + text.replaceFirst("(?i); This verification can be .*", ""),
          "a certificate of the server that serverSslCert proves, and with sslMode verify-full one"
              + " that names the host",
          "Correct serverSslCert, sslMode or the host in source.url, or the server's certificate");
    }
    return String.valueOf(error.getSQLState()).startsWith("08")
        ? new Problem(
            thing,
            "it cannot be reached: " + text,
            "a server that listens at " + endpoint.host() + ":" + endpoint.port(),
            "Start the server, or correct host and port in source.url")
        : new Problem(
            thing,
            "%s (error %d)".formatted(text, error.getErrorCode()),
            "a server that answers",
            "See the server's error log");
  }

  private static Problem unencrypted(String thing, String found) {
    return new Problem(
        thing,
        found,
        "sslMode verify-full, verify-ca or trust in source.url",
        "Add ?sslMode=verify-ca&serverSslCert=FILE to source.url, and write source.type: mysql if it"
            + " is a MySQL server");
  }
}
