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
 * YugabyteDB repeats statements by itself after a conflict. Of statements that are sent together it
 * may then repeat some and lose others without an error, if they are the first of their transaction
 * (its technical advisory 21297). So its repeats are switched off. A statement with which a
 * transaction begins is sent again by the session; whatever is behind it, by the task, which repeats
 * the whole transaction.
 *
 * Where a flag of the servers does not say otherwise, READ COMMITTED is snapshot isolation there: who
 * has waited for a lock would read what was there before the wait. Suspensions, marks and epochs are
 * read behind a lock, so such a server is refused.
 */
/** Sessions on YugabyteDB: PostgreSQL's, with settings of its own. Threadsafe. */
final class YugabyteSessions implements TargetSessions {
  /** What sessions of comparisons need, too. */
  static final String OF_READERS =
      String.join(
          ";",
          "SET yb_max_query_layer_retries = 0",
          // What it says may be of the past.
          "SET yb_read_from_followers = off");

  private static final String SETTINGS =
      String.join(
          ";",
          OF_READERS,
          // Who waits for a row's lock gets the row as it is then, if the lock is by the row's key.
          "SET yb_lock_pk_single_rpc = on",
          // A COPY is one transaction, whatever its number of rows.
          "SET yb_default_copy_from_rows_per_transaction = 0",
          // Rows that are there would be replaced without an error.
          "SET yb_enable_upsert_mode = off",
          // A window would not be written as one.
          "SET yb_disable_transactional_writes = off",
          // The view pg_locks leaves out young transactions, and all but a few.
          "SET yb_locks_min_txn_age = 0",
          "SET yb_locks_max_transactions = 1000000");

  private static final String ISOLATION = "SELECT yb_get_effective_transaction_isolation_level()";

  private static final String EXPECTED_ISOLATION = "read committed";

  /** No such setting, and no such function. */
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

  /** Each commit is on the disks of most replicas when it is answered. */
  @Override
  public void commitDurably(Connection jdbc) {
    // Nothing to ask for.
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
