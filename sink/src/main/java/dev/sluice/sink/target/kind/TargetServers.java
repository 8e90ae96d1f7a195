package dev.sluice.sink.target.kind;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TargetType;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.postgres.PostgresDialect;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * Makes targets with the dialect of their type: those that the class path declares as {@link
 * TargetKind}. No class names the dialect of another module. Stateless.
 */
public final class TargetServers {
  /** By the type in the task file. */
  private static final Map<String, TargetDialect> DIALECTS =
      ServiceLoader.load(TargetType.class, TargetType.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .filter(TargetKind.class::isInstance)
          .map(TargetKind.class::cast)
          .collect(Collectors.toUnmodifiableMap(TargetKind::name, TargetKind::dialect));

  private TargetServers() {}

  /**
   * The target that a task or a connector names.
   *
   * @param applicationName name of its sessions for the target's operators
   * @param statementCacheSize prepared statements kept for each connection; 0 keeps none
   * @throws SluiceException.Fatal if the driver does not have what Sluice uses of it
   */
  public static TargetServer of(Endpoint to, String applicationName, int statementCacheSize) {
    return new TargetServer(
        dialectOf(to),
        new TargetLogin(
            to.jdbcUrl(),
            to.user(),
            to.password().isPresent() ? to.password().reveal() : null,
            applicationName,
            statementCacheSize));
  }

  /** The dialect of a target that a task or a connector names. */
  public static TargetDialect dialectOf(Endpoint to) {
    TargetDialect dialect = DIALECTS.get(to.type());
    if (dialect == null) {
      throw new IllegalStateException("BUG: target type " + to.type() + " has no dialect");
    }
    return dialect;
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
