package dev.sluice.engine.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.daemon.RunningDaemon;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables that are made, filled, renamed, emptied, dropped and made again in any order, while a task
 * runs and while it is away: the target ends with the same tables, and each has the same rows.
 *
 * <p>{@code -Dsluice.passing.cases=50} makes a long run. {@code -Dsluice.seed=…} begins with the
 * case of that seed, and {@code -Dsluice.passing.steps=…} makes each of its parts shorter; a
 * failure prints the seed and the statements.
 */
@ExtendWith(SharedBroker.class)
abstract class RandomPassingTables {
  private static final long SEED = Long.getLong("sluice.seed", 20261129L);
  private static final int CASES = Integer.getInteger("sluice.passing.cases", 1);
  private static final int STEPS = Integer.getInteger("sluice.passing.steps", 40);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String type;

  RandomPassingTables(String type) {
    this.type = type;
  }

  /** A server, unless there is none for this machine, which skips the test. */
  abstract EmbeddedServer start();

  @Test
  @Timeout(7200)
  void theTargetEndsWithTheSameTablesAndRows(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      int madeAgain = 0;
      for (long seed = SEED; seed < SEED + CASES; seed++) {
        String database = "passing" + seed;
        source.createDatabase(database);
        target.createDatabase(database);
        try (PassingTables tables = new PassingTables(source.connect(database), seed)) {
          TaskConfig config = config(folder.resolve(database), database, source, target);
          try {
            run(tables, config, new Random(seed));
            assertEqual(tables, database, source, target);
          } catch (AssertionError | Exception e) {
            System.out.println(String.join("\n", tables.told()));
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
          }
          madeAgain += tables.madeAgain();
        }
      }
      assertThat(madeAgain).as("tables that were made again").isPositive();
    }
  }

  /** Three daemons, one behind the other, and the work goes on between them. */
  private static void run(PassingTables tables, TaskConfig config, Random random) throws Exception {
    tables.begin();
    for (int start = 0; start < 3; start++) {
      try (RunningDaemon running = RunningDaemon.start(config)) {
        if (start == 0 || random.nextBoolean()) {
          running.awaitPhase("replicating");
        }
        tables.work(STEPS / 2 + random.nextInt(STEPS));
        running.awaitPhase("replicating");
        if (start == 2 || random.nextBoolean()) {
          awaitApplied(running);
        }
      }
      if (start < 2) {
        tables.work(random.nextInt(STEPS));
      }
    }
  }

  /** A table that is suspended is a failure at once: all statements are followed. */
  private static void awaitApplied(RunningDaemon running) {
    await("applied")
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              assertThat(running.daemon().status().suspended()).isEmpty();
              return running.daemon().fence(Duration.ofSeconds(5)).success();
            });
  }

  private static void assertEqual(
      PassingTables tables, String database, EmbeddedServer source, EmbeddedPostgres target)
      throws SQLException {
    try (Connection from = source.connect(database);
        Connection to = target.connect(database)) {
      assertThat(names(to, database)).containsExactlyInAnyOrderElementsOf(tables.tables());
      BinlogSides sides = new BinlogSides(from, to, database);
      for (String table : tables.tables()) {
        assertThat(sides.differences(table)).isEmpty();
      }
    }
  }

  private static List<String> names(Connection target, String schema) throws SQLException {
    try (Statement statement = target.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT tablename FROM pg_tables WHERE schemaname = '%s'".formatted(schema))) {
      List<String> names = new ArrayList<>();
      while (row.next()) {
        names.add(row.getString(1));
      }
      return names;
    }
  }

  private TaskConfig config(
      Path folder, String database, EmbeddedServer source, EmbeddedPostgres target)
      throws Exception {
    return TaskFolder.of(folder, database, source.port(), target.port(), database, database)
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/%s\n  password: ${env:HOME}"
                .formatted(source.port(), database),
            "type: %s\n  url: %1$s://root@127.0.0.1:%d/%s".formatted(type, source.port(), database))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE, DataErrorPolicy: SUSPEND_TABLE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .config();
  }
}
