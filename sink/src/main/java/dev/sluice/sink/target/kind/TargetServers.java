package dev.sluice.sink.target.kind;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.postgres.PostgresDialect;

/**
 * Makes targets with the dialect of their kind. It is the only place that knows the kinds; an
 * endpoint's {@code type} can only be {@code postgresql} today. Stateless.
 */
public final class TargetServers {
  private TargetServers() {}

  /**
   * The target that a task or a connector names.
   *
   * @param applicationName name of its sessions for the target's operators
   * @param statementCacheSize prepared statements kept for each connection; 0 keeps none
   * @throws SluiceException.Fatal if the driver does not have what Sluice uses of it
   */
  public static TargetServer of(Endpoint to, String applicationName, int statementCacheSize) {
    return postgres(
        to.jdbcUrl(),
        to.user(),
        to.password().isPresent() ? to.password().reveal() : null,
        applicationName,
        statementCacheSize);
  }

  /**
   * A PostgreSQL server.
   *
   * @param jdbcUrl pgjdbc's URL of the database, without a password
   * @param password null if the server requires none
   * @param applicationName name of the sessions in {@code pg_stat_activity}
   * @param statementCacheSize prepared statements kept for each connection; 0 keeps none
   * @throws SluiceException.Fatal if the driver does not have what Sluice uses of it
   */
  public static TargetServer postgres(
      String jdbcUrl,
      String user,
      String password,
      String applicationName,
      int statementCacheSize) {
    return new TargetServer(
        PostgresDialect.INSTANCE,
        new TargetLogin(jdbcUrl, user, password, applicationName, statementCacheSize));
  }
}
