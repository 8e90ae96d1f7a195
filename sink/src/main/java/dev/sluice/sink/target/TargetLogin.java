package dev.sluice.sink.target;

import java.util.Objects;

/**
 * How a session is opened. Immutable; never shows the password.
 *
 * @param jdbcUrl the driver's URL of the database, without a password
 * @param password null if the server requires none
 * @param applicationName name of the sessions for the target's operators
 * @param statementCacheSize prepared statements kept for each connection; 0 keeps none
 */
public record TargetLogin(
    String jdbcUrl, String user, String password, String applicationName, int statementCacheSize) {

  public TargetLogin {
    Objects.requireNonNull(jdbcUrl, "jdbcUrl");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(applicationName, "applicationName");
  }

  /** The same login with another number of prepared statements for each connection. */
  TargetLogin withStatementCacheSize(int statements) {
    return new TargetLogin(jdbcUrl, user, password, applicationName, statements);
  }

  /** The same login with another url. */
  public TargetLogin at(String url) {
    return new TargetLogin(url, user, password, applicationName, statementCacheSize);
  }

  /** For messages: user and address, cut before the URL's parameters. */
  @Override
  public String toString() {
    int parameters = jdbcUrl.indexOf('?');
    String address = parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters);
    return user + " at " + address.replaceFirst("^jdbc:", "");
  }
}
