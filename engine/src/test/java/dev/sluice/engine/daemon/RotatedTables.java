package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Logs are rotated while a task replicates them to PostgreSQL. */
@ExtendWith(SharedBroker.class)
abstract class RotatedTables {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String DATABASE = "rotated";
  private static final int UNKNOWN_TABLE = 1146;

  private static final String LOG =
      "CREATE TABLE %s (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, ref VARCHAR(20) NOT NULL,"
          + " at INT, user INT, UNIQUE KEY ref (ref), KEY at (at),"
          + " FOREIGN KEY (user) REFERENCES users (id))";

  private final String type;
  private EmbeddedServer source;
  private EmbeddedPostgres target;

  RotatedTables(String type) {
    this.type = type;
  }

  /** A server, unless there is none for this machine, which skips the test. */
  abstract EmbeddedServer start();

  @Test
  void logsThatAreRotatedAgainAndAgainUnderTheirWritersEndEqualWithAllTheirIndexes(
      @TempDir Path folder) throws Exception {
    ExecutorService writer = Executors.newSingleThreadExecutor();
    AtomicBoolean stopped = new AtomicBoolean();
    try (EmbeddedServer server = start();
        EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
      source = server;
      target = postgres;
      source.createDatabase(DATABASE);
      target.createDatabase(DATABASE);
      onSource(
          "CREATE TABLE users (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) UNIQUE)",
          LOG.formatted("log"),
          "INSERT INTO users (name) VALUES ('a'), ('b'), ('c')");
      try (RunningDaemon running = RunningDaemon.replicating(task(folder))) {
        Future<?> writing = writer.submit(() -> write(stopped));
        try {
          onTarget("CREATE TABLE rotated.strangers (id int)");
          onTarget("CREATE INDEX log_new_pkey ON rotated.strangers (id)");
          onTarget("CREATE SEQUENCE rotated.log_new_id_seq");
          for (int round = 0; round < 2; round++) {
            // Another one is made once the name is free.
            onSource("RENAME TABLE log TO log_%da".formatted(round), LOG.formatted("log"));
            load(running, "log");
            // Another one is made before, and the two are swapped.
            onSource(LOG.formatted("log_new"));
            load(running, "log_new");
            // It lets a capture know the columns, since the name was another table's before.
            onSource("INSERT INTO log_new (ref) VALUES ('first')");
            running.passFence();
            onSource("RENAME TABLE log TO log_%db, log_new TO log".formatted(round));
          }
        } finally {
          stopped.set(true);
        }
        writing.get();
        running.passFence();
        assertThat(running.daemon().status().suspended()).isEmpty();
        running.awaitApplied();
        requireEqual("users", "log", "log_0a", "log_0b", "log_1a", "log_1b");
        Outcome equal = running.daemon().validate(List.of(), Optional.empty());
        assertThat(equal.success()).as(equal.toString()).isTrue();

        Outcome moved = running.cutover(PATIENCE);

        assertThat(moved.success()).as(moved.toString()).isTrue();
      }
      requireWhole("log", "log_0a", "log_0b", "log_1a", "log_1b");
      assertThat(
              onTarget("SELECT tablename, indexname FROM pg_indexes WHERE tablename = 'strangers'"))
          .containsExactly("strangers|log_new_pkey");
      assertThat(onTarget("SELECT last_value, is_called FROM rotated.log_new_id_seq"))
          .containsExactly("1|f");
    } finally {
      stopped.set(true);
      writer.shutdown();
    }
  }

  /** A table that is new to the task is suspended, and then made. */
  private void load(RunningDaemon running, String table) throws InterruptedException {
    running.passFence();
    assertThat(running.daemon().reload(List.of(new TableId(DATABASE, table))).success()).isTrue();
    await("reload of " + table)
        .atMost(PATIENCE)
        .until(
            () -> {
              boolean there =
                  !onTarget("SELECT 1 WHERE to_regclass('rotated.%s') IS NOT NULL".formatted(table))
                      .isEmpty();
              assertThat(running.daemon().status().suspended())
                  .noneMatch(
                      each ->
                          each.state().equals("suspended")
                              && each.reason().contains("already exists"));
              return there && running.daemon().status().suspended().isEmpty();
            });
  }

  /** All indexes and foreign keys are there, and the next number of each table is its own. */
  private void requireWhole(String... tables) throws SQLException {
    for (String table : tables) {
      assertThat(
              onTarget(
                  "SELECT count(*), count(*) FILTER (WHERE indisunique) FROM pg_index"
                      + " WHERE indrelid = 'rotated.%s'::regclass AND indisvalid".formatted(table)))
          .as("indexes of " + table)
          .containsExactly("4|2");
      assertThat(
              onTarget(
                  "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated"
                      + " AND conrelid = 'rotated.%s'::regclass".formatted(table)))
          .as("foreign keys of " + table)
          .containsExactly("1");
      String insert = "INSERT INTO %s (ref) VALUES ('next')";
      onSource(insert.formatted(table));
      try (Connection from = source.connect(DATABASE)) {
        assertThat(onTarget(insert.formatted("rotated." + table) + " RETURNING id"))
            .as("next number of " + table)
            .isEqualTo(rows(from, "SELECT id FROM %s WHERE ref = 'next'".formatted(table)));
      }
    }
  }

  /** Writes into the table that has the name just then. */
  private Void write(AtomicBoolean stopped) throws Exception {
    try (Connection session = source.connect(DATABASE);
        Statement statement = session.createStatement()) {
      for (int i = 0; !stopped.get(); i++) {
        try {
          statement.execute(
              "INSERT INTO log (ref, at, user) VALUES ('r%d', %1$d, %d)".formatted(i, 1 + i % 3));
          statement.execute("UPDATE log SET at = at + 1 WHERE id %% 7 = %d".formatted(i % 7));
          statement.execute("DELETE FROM log WHERE id %% 11 = 5 AND at < %d".formatted(i));
        } catch (SQLException e) {
          if (e.getErrorCode() != UNKNOWN_TABLE) {
            throw e;
          }
        }
        Thread.sleep(20);
      }
      return null;
    }
  }

  private TaskConfig task(Path folder) throws Exception {
    return TaskFolder.of(folder, DATABASE, source.port(), target.port(), DATABASE, DATABASE)
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/%s\n  password: ${env:HOME}"
                .formatted(source.port(), DATABASE),
            "type: %s\n  url: %1$s://root@127.0.0.1:%d/%s".formatted(type, source.port(), DATABASE))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .config();
  }

  private void requireEqual(String... tables) throws SQLException {
    try (Connection from = source.connect(DATABASE)) {
      for (String table : tables) {
        List<String> rows = rows(from, "SELECT * FROM %s ORDER BY id".formatted(table));
        assertThat(rows).as("rows of " + table).isNotEmpty();
        assertThat(onTarget("SELECT * FROM rotated.%s ORDER BY id".formatted(table)))
            .as(table)
            .isEqualTo(rows);
      }
    }
  }

  private void onSource(String... statements) throws SQLException {
    try (Connection session = source.connect(DATABASE);
        Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private List<String> onTarget(String sql) throws SQLException {
    try (Connection session = target.connect(DATABASE)) {
      return rows(session, sql);
    }
  }

  /** The rows, each with its values between bars; none of a statement that has none. */
  private static List<String> rows(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      List<String> rows = new ArrayList<>();
      if (!statement.execute(sql)) {
        return rows;
      }
      try (ResultSet found = statement.getResultSet()) {
        while (found.next()) {
          List<String> values = new ArrayList<>();
          for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
            values.add(found.getString(i));
          }
          rows.add(String.join("|", values));
        }
      }
      return rows;
    }
  }
}
