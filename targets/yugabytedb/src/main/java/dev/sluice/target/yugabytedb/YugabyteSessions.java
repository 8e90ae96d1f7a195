package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/*
 * YugabyteDB repeats statements by itself after a conflict. Of statements that are sent together it
 * may then repeat some and lose others without an error, if they are the first of their transaction
 * (its technical advisory 21297). So its repeats are switched off, and it is the task that repeats
 * a whole transaction.
 *
 * READ COMMITTED is, by a flag of the servers, another level or one that needs these repeats. In
 * REPEATABLE READ whoever was overtaken gets an error on every server.
 */
/** Sessions on YugabyteDB: PostgreSQL's, with settings of its own. Stateless. */
final class YugabyteSessions implements TargetSessions {
  private static final String SETTINGS =
      String.join(
          ";",
          "SET default_transaction_isolation = 'repeatable read'",
          "SET yb_max_query_layer_retries = 0",
          // A COPY is one transaction, whatever its number of rows.
          "SET yb_default_copy_from_rows_per_transaction = 0",
          // Rows that are there would be replaced without an error.
          "SET yb_enable_upsert_mode = off",
          // A window would not be written as one.
          "SET yb_disable_transactional_writes = off",
          // What it says may be of the past.
          "SET yb_read_from_followers = off",
          // The view pg_locks leaves out young transactions, and all but a few.
          "SET yb_locks_min_txn_age = 0",
          "SET yb_locks_max_transactions = 1000000");

  private static final String UNKNOWN_SETTING = "42704";

  private final TargetSessions postgres;

  YugabyteSessions(TargetSessions postgres) {
    this.postgres = postgres;
  }

  @Override
  public void requireDriver() {
    postgres.requireDriver();
  }

  @Override
  public Connection connect(TargetLogin login) throws SQLException {
    return postgres.connect(login);
  }

  @Override
  public boolean prepare(Connection jdbc) throws SQLException {
    boolean replicaRole = postgres.prepare(jdbc);
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(SETTINGS);
    } catch (SQLException e) {
      if (!UNKNOWN_SETTING.equals(e.getSQLState())) {
        throw e;
      }
      String version = jdbc.getMetaData().getDatabaseProductVersion();
      jdbc.close();
      throw new SluiceException.Fatal(
          YugabyteServerChecks.unfit("target.type yugabytedb", version));
    }
    return replicaRole;
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
  public String keepWritersOut(TableId table) {
    throw Refusal.of(TargetLimit.CORRECTIONS);
  }

  @Override
  public String forgetStatements() {
    return postgres.forgetStatements();
  }

  @Override
  public String deferConstraints() {
    return postgres.deferConstraints();
  }

  @Override
  public String checkConstraints() {
    return postgres.checkConstraints();
  }
}
