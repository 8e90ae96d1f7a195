package dev.sluice.target.yugabytedb;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.yugabytedb.cluster.Clusters;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/*
 * YugabyteDB repeats statements by itself after a conflict. If several statements are sent together
 * at the beginning of a transaction, it may then repeat some and lose others without an error (its
 * technical advisory 21297). So its own retries are switched off. The first statement of a
 * transaction is repeated by the session. After a later one the task repeats the complete
 * transaction.
 *
 * Unless a flag of the servers is set, READ COMMITTED is snapshot isolation there: a session that
 * has waited for a lock would read the data from before the wait. Suspensions, marks and epochs are
 * read after a lock, so a server without the flag is refused.
 */
/** Sessions on YugabyteDB: PostgreSQL's, with further settings. Threadsafe. */
final class YugabyteSessions implements TargetSessions {
  /** The settings that sessions of comparisons need as well. */
  static final String OF_READERS =
      String.join(
          ";",
          "SET yb_max_query_layer_retries = 0",
          // A follower's answer may be outdated.
          "SET yb_read_from_followers = off");

  private static final String SETTINGS =
      String.join(
          ";",
          OF_READERS,
          // A session that waits for a row's lock then reads the current row, if the lock is by the
          // row's key.
          "SET yb_lock_pk_single_rpc = on",
          // A COPY is one transaction, whatever its number of rows.
          "SET yb_default_copy_from_rows_per_transaction = 0",
          // Otherwise existing rows would be replaced without an error.
          "SET yb_enable_upsert_mode = off",
          // Otherwise a window would not be written in one transaction.
          "SET yb_disable_transactional_writes = off",
          // Otherwise the view pg_locks shows only some transactions, and no new ones.
          "SET yb_locks_min_txn_age = 0",
          "SET yb_locks_max_transactions = 1000000");

  private static final String ISOLATION = "SELECT yb_get_effective_transaction_isolation_level()";

  private static final String EXPECTED_ISOLATION = "read committed";

  /** The setting or the function does not exist. */
  private static final Set<String> UNKNOWN = Set.of("42704", "42883");

  private final TargetSessions postgres;
  private final Clusters clusters;

  YugabyteSessions(TargetSessions postgres, TargetErrors errors) {
    this.postgres = postgres;
    this.clusters = new Clusters(error -> errors.faultOf(error) == TargetFault.UNAVAILABLE);
  }

  @Override
  public void requireDriver() {
    postgres.requireDriver();
  }

  @Override
  public Connection connect(TargetLogin login) throws SQLException {
    return clusters.connect(
        login.jdbcUrl(),
        (url, closed) -> new RepeatingConnection(postgres.connect(login.at(url)), closed));
  }

  @Override
  public boolean prepare(Connection jdbc) throws SQLException {
    boolean replicaRole = postgres.prepare(jdbc);
    Optional<Problem> unfit = setAndJudge(jdbc);
    if (unfit.isPresent()) {
      jdbc.close();
      throw new SluiceException.Fatal(unfit.get());
    }
    return replicaRole;
  }

  private static Optional<Problem> setAndJudge(Connection jdbc) throws SQLException {
    String version = jdbc.getMetaData().getDatabaseProductVersion();
    if (!YugabyteServerChecks.isFit(version)) {
      return Optional.of(YugabyteServerChecks.unfit("target.type yugabytedb", version));
    }
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(SETTINGS);
      try (ResultSet row = statement.executeQuery(ISOLATION)) {
        row.next();
        return EXPECTED_ISOLATION.equals(row.getString(1))
            ? Optional.empty()
            : Optional.of(otherIsolation(row.getString(1)));
      }
    } catch (SQLException e) {
      if (!UNKNOWN.contains(e.getSQLState())) {
        throw e;
      }
      return Optional.of(YugabyteServerChecks.unfit("target.type yugabytedb", version));
    }
  }

  private static Problem otherIsolation(String found) {
    return new Problem(
        "target.type yugabytedb",
        "transactions that ask for READ COMMITTED get the isolation level " + found,
        EXPECTED_ISOLATION + ", in which each statement sees what is committed",
        "Start all YB-TServers with --yb_enable_read_committed_isolation=true");
  }

  @Override
  public void reset(Connection jdbc) throws SQLException {
    postgres.reset(jdbc);
  }

  @Override
  public String endWithoutHost() {
    return postgres.endWithoutHost();
  }

  @Override
  public StatementPipeline pipeline(Connection jdbc) throws SQLException {
    return postgres.pipeline(jdbc);
  }

  @Override
  public void cancel(Connection jdbc) throws SQLException {
    postgres.cancel(jdbc);
  }

  /** Nothing to do: each commit is on the disks of most replicas when it is confirmed. */
  @Override
  public void commitDurably(Connection jdbc) {
    // Commits are always durable.
  }

  @Override
  public void waitForLocks(Connection jdbc, Duration timeout) throws SQLException {
    postgres.waitForLocks(jdbc, timeout);
  }

  @Override
  public void limitTransaction(Connection jdbc, Duration limit) throws SQLException {
    postgres.limitTransaction(jdbc, limit);
  }

  @Override
  public Optional<String> forgetStatements() {
    return postgres.forgetStatements();
  }

  @Override
  public Optional<String> deferConstraints() {
    return postgres.deferConstraints();
  }

  @Override
  public Optional<String> checkConstraints() {
    return postgres.checkConstraints();
  }
}
