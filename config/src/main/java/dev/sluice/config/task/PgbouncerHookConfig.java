package dev.sluice.config.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The instances of pgbouncer that are paused in a cutover. Immutable; prints no password.
 *
 * @param instances the admin console of each
 * @param database what is paused; empty: all databases
 * @param reload whether each instance reads its configuration again after the decision
 * @param proof the login through each instance that must reach the target before its clients do
 */
public record PgbouncerHookConfig(
    String name,
    List<Endpoint> instances,
    Optional<String> database,
    boolean reload,
    Optional<Proof> proof,
    Duration timeout)
    implements HookConfig {

  /** The database that is pgbouncer's admin console. */
  public static final String CONSOLE = "pgbouncer";

  public PgbouncerHookConfig {
    instances = List.copyOf(instances);
  }

  /**
   * A login through pgbouncer. Immutable; prints no password.
   *
   * @param database a database of pgbouncer that is not paused and has the paused one's server
   */
  public record Proof(String database, String user, Secret password) {}
}
