package dev.sluice.engine.cutover.hook.pgbouncer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an instance of pgbouncer says about its pools. Immutable.
 *
 * @param pooler what it answers to a PAUSE that it cannot carry out
 * @param databases by name, without the admin console
 * @param sessionUsers the users whose pools are session pools, whatever the database says
 * @param queryTimeout after which a waiting client is dropped; empty: never
 */
public record PoolState(
    Pooler pooler,
    Map<String, Database> databases,
    List<String> sessionUsers,
    Optional<Duration> queryTimeout) {

  public PoolState {
    databases = Map.copyOf(databases);
    sessionUsers = List.copyOf(sessionUsers);
  }

  /** The pooler as a whole, for one user of the console. */
  public enum Pooler {
    /** It would take commands. */
    OPEN,
    /** It is paused or suspended as a whole. */
    PAUSED,
    /** The user may read and not pause. */
    READ_ONLY
  }

  /**
   * One database of pgbouncer. Immutable.
   *
   * @param server host, port and database behind it
   * @param session whether its pools are session pools
   */
  public record Database(String server, boolean session, boolean paused) {}
}
