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

/**
 * Some applications with random tables in one database, and the task that replicates it. Owned by
 * one thread.
 */
final class BinlogRound implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Statements of DDL that cannot be followed, as the documents say. */
  private static final Pattern NOT_FOLLOWED =
      Pattern.compile("(?s).*a statement of the source is not followed, since .*");

  private final EmbeddedServer source;
  private final EmbeddedPostgres target;
  private final String database;
  private final Random random;
  private final List<BinlogWork> works = new ArrayList<>();

  BinlogRound(EmbeddedServer source, EmbeddedPostgres target, String database, long seed, int cases)
      throws SQLException {
    this.source = source;
    this.target = target;
    this.database = database;
    this.random = new Random(seed);
    boolean mysql = source instanceof dev.sluice.embedded.mariadb.EmbeddedMysql;
    source.createDatabase(database);
    target.createDatabase(database);
    BinlogNames names = new BinlogNames(random);
    for (int i = 0; i < cases; i++) {
      List<BinlogTable> tables = new ArrayList<>();
      for (int table = 1 + random.nextInt(4); table > 0; table--) {
        tables.add(new BinlogTable(names.next(), random, mysql));
      }
      works.add(new BinlogWork(source.connect(database), tables, new Random(random.nextLong())));
    }
  }

  /** The work goes on while the task is loaded, runs, loses its connections, and is away. */
  void run(TaskConfig config, int steps) throws Exception {
    for (BinlogWork work : works) {
      work.begin();
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      work(steps);
      running.awaitPhase("replicating");
      work(steps);
    }
    work(random.nextInt(steps));
    try (RunningDaemon running = RunningDaemon.start(config)) {
      work(random.nextInt(steps));
      // A check that a start makes is not repeated.
      running.awaitPhase("replicating");
      work(random.nextInt(steps));
      cutConnections();
      work(steps);
      if (random.nextBoolean()) {
        awaitApplied(running);
        work(random.nextInt(steps));
      }
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      work(steps);
      for (BinlogWork work : works) {
        work.finish();
      }
      running.awaitPhase("replicating");
      awaitApplied(running);
      assertEqual(running);
    }
  }

  private void work(int steps) throws SQLException {
    for (int i = 0; i < steps * works.size(); i++) {
      works.get(random.nextInt(works.size())).step();
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
        statement.execute("KILL " + reader);
      }
    }
    try (Connection connection = target.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
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
    List<TableId> followed = new ArrayList<>();
    List<String> differences = new ArrayList<>();
    try (Connection one = source.connect(database);
        Connection other = target.connect(database);
        Statement utc = one.createStatement()) {
      utc.execute("SET time_zone = '+00:00'");
      BinlogSides sides = new BinlogSides(one, other, database);
      for (BinlogWork work : works) {
        for (BinlogTable table : work.tables()) {
          if (!named.contains(table.name())) {
            followed.add(new TableId(database, table.name()));
            differences.addAll(sides.differences(table.name()));
          }
        }
      }
    }
    assertThat(differences).isEmpty();
    assertThat(named.size())
        .as("tables that are suspended: %s", suspended)
        .isLessThan(works.size());
    Outcome compared = running.daemon().validate(followed, Optional.empty());
    assertThat(compared.ending()).as(compared.toString()).isEqualTo(Ending.DONE);
  }

  /** What was run, for a message. */
  String told() {
    return works.stream()
        .map(work -> String.join("\n", work.told()))
        .collect(Collectors.joining("\n\n"));
  }

  List<BinlogWork> works() {
    return works;
  }

  @Override
  public void close() throws SQLException {
    for (BinlogWork work : works) {
      work.close();
    }
  }
}
