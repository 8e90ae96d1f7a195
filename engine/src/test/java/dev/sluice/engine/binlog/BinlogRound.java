package dev.sluice.engine.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.SuspendedStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Some applications with random tables, and the task that replicates them. Owned by one thread. */
final class BinlogRound implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int UNKNOWN_SESSION = 1094;

  /** Statements, and values of dropped columns, that are not followed, as the documents say. */
  private static final Pattern NOT_FOLLOWED =
      Pattern.compile(
          "(?s).*(a statement of the source is not followed, since"
              + "|the type of column .* became text, and how its values were converted"
              + "|say whether the older values are a UUID).*");

  private final EmbeddedServer source;
  private final EmbeddedPostgres target;
  private final String database;
  private final Random random;
  private final BinlogApplications applications;
  private Set<String> notFollowed = Set.of();

  BinlogRound(EmbeddedServer source, EmbeddedPostgres target, String database, long seed, int cases)
      throws SQLException {
    this.source = source;
    this.target = target;
    this.database = database;
    this.random = new Random(seed);
    target.createDatabase(database);
    applications = new BinlogApplications(source, database, seed, cases, true);
  }

  /** The work goes on while the task is loaded, runs, loses its connections, and is away. */
  void run(TaskConfig config, int steps) throws Exception {
    applications.begin();
    try (RunningDaemon running = RunningDaemon.start(config)) {
      applications.work(steps);
      if (random.nextInt(4) > 0) {
        running.awaitPhase("replicating");
      }
      applications.work(random.nextInt(steps));
    }
    applications.work(random.nextInt(steps));
    try (RunningDaemon running = RunningDaemon.start(config)) {
      applications.work(random.nextInt(steps));
      // A check that a start makes is not repeated.
      running.awaitPhase("replicating");
      applications.work(random.nextInt(steps));
      cutConnections();
      applications.work(steps);
      if (random.nextBoolean()) {
        awaitApplied(running);
        applications.work(random.nextInt(steps));
      }
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      applications.work(steps);
      applications.finish();
      running.awaitPhase("replicating");
      awaitApplied(running);
      assertEqual(running);
    }
  }

  /** Those of the capture and of the sink, which both begin again where they were. */
  private void cutConnections() throws SQLException {
    try (Connection connection = source.connect(database);
        Statement statement = connection.createStatement()) {
      List<String> readers = new ArrayList<>();
      try (ResultSet row =
          statement.executeQuery(
              "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")) {
        while (row.next()) {
          readers.add(row.getString(1));
        }
      }
      for (String reader : readers) {
        end(reader, statement);
      }
    }
    try (Connection connection = target.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }
  }

  /** It may have ended by itself meanwhile. */
  private static void end(String session, Statement statement) throws SQLException {
    try {
      statement.execute("KILL " + session);
    } catch (SQLException e) {
      if (e.getErrorCode() != UNKNOWN_SESSION) {
        throw e;
      }
    }
  }

  private static void awaitApplied(RunningDaemon running) {
    await("applied")
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return running.daemon().fence(Duration.ofSeconds(5), true).success();
            });
  }

  private void assertEqual(RunningDaemon running) throws Exception {
    List<SuspendedStatus> suspended = running.daemon().status().suspended();
    assertThat(suspended)
        .extracting(SuspendedStatus::reason)
        .allMatch(reason -> NOT_FOLLOWED.matcher(reason).matches());
    Set<String> named = suspended.stream().map(SuspendedStatus::table).collect(Collectors.toSet());
    notFollowed = named;
    assertThat(applications.differences(target, named)).isEmpty();
    assertThat(named.size())
        .as("tables that are suspended: %s", suspended)
        .isLessThan(applications.count());
    List<TableId> followed =
        applications.tables().stream()
            .filter(table -> !named.contains(table))
            .map(table -> new TableId(database, table))
            .toList();
    Outcome compared = running.daemon().validate(followed, Optional.empty());
    assertThat(compared.ending()).as(compared.toString()).isEqualTo(Ending.DONE);
    deleteARow(followed);
    Outcome again = running.daemon().validate(followed, Optional.empty());
    assertThat(again.ending())
        .as("a pass reads again, though nothing was written on the source: %s", again)
        .isNotEqualTo(Ending.DONE);
  }

  /** Of the first table of the target that has any. */
  private void deleteARow(List<TableId> tables) throws SQLException {
    try (Connection connection = target.connect(database);
        Statement statement = connection.createStatement()) {
      for (TableId table : tables) {
        String name = table.quoted();
        if (statement.executeUpdate(
                "DELETE FROM %1$s WHERE ctid = (SELECT ctid FROM %1$s LIMIT 1)".formatted(name))
            > 0) {
          return;
        }
      }
    }
    throw new AssertionError("all tables are empty: " + tables);
  }

  /** The tables that were suspended at the end. */
  Set<String> notFollowed() {
    return notFollowed;
  }

  BinlogApplications applications() {
    return applications;
  }

  @Override
  public void close() throws SQLException {
    applications.close();
  }
}
