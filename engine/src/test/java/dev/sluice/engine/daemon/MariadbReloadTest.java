package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A suspended table of MariaDB is only loaded again if its changes can be followed. */
@ExtendWith(SharedBroker.class)
class MariadbReloadTest {
  private static final TableId CHILD = new TableId("shop", "child");

  /** Who waits for the checkpoint. */
  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
          + " AND query LIKE '%checkpoint\"%FOR UPDATE'";

  @TempDir Path folder;

  @Test
  void aTableWhoseForeignKeyTheLogDoesNotFollowIsNotLoadedAgain() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedMariadb source = EmbeddedMariadb.builder().start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      source.createDatabase("shop");
      target.createDatabase("shop");
      execute(
          source,
          "CREATE TABLE parent (id INT PRIMARY KEY)",
          "CREATE TABLE child (id INT PRIMARY KEY, p INT)",
          "INSERT INTO parent VALUES (1)",
          "INSERT INTO child VALUES (10, 1)");
      try (RunningDaemon running = RunningDaemon.replicating(config(source, target))) {
        execute(
            source,
            "ALTER TABLE child ADD CONSTRAINT of_parent FOREIGN KEY (p) REFERENCES parent (id)"
                + " ON DELETE CASCADE");
        running.awaitSuspended();

        Outcome refused = running.daemon().reload(List.of(CHILD));

        assertThat(refused.success()).isFalse();
        assertThat(refused.details().toString()).contains("of_parent", "ON DELETE CASCADE");
        assertThat(running.daemon().status().suspended()).hasSize(1);

        execute(source, "ALTER TABLE child DROP FOREIGN KEY of_parent");
        assertThat(running.daemon().reload(List.of(CHILD)).success()).isTrue();
        await("the table is loaded again")
            .atMost(Duration.ofMinutes(5))
            .until(() -> running.daemon().status().suspended().isEmpty());
      }
    }
  }

  /** What the log says of a table before the copy's snapshot is passed over. */
  @Test
  void aTableIsJudgedWithItsSnapshotOpenAlsoIfItsStatementWaitsInTheLog() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedMariadb source = EmbeddedMariadb.builder().start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      source.createDatabase("shop");
      target.createDatabase("shop");
      execute(
          source,
          "CREATE TABLE parent (id INT PRIMARY KEY)",
          "CREATE TABLE child (id INT PRIMARY KEY, p INT)",
          "INSERT INTO parent VALUES (1)",
          "INSERT INTO child VALUES (10, 1)");
      try (RunningDaemon running = RunningDaemon.replicating(config(source, target));
          Connection holder = target.connect("shop");
          Statement lock = holder.createStatement()) {
        holder.setAutoCommit(false);
        lock.execute("SELECT FROM sluice_control.checkpoint FOR UPDATE");
        execute(
            source,
            "ALTER TABLE child ADD CONSTRAINT of_parent FOREIGN KEY (p) REFERENCES parent (id)"
                + " ON DELETE CASCADE");
        CompletableFuture<Outcome> accepted =
            CompletableFuture.supplyAsync(() -> running.daemon().reload(List.of(CHILD)));
        await("the statement's window and the request wait for each other's end")
            .atMost(Duration.ofMinutes(5))
            .until(() -> Sql.text(target, "shop", WAITING).equals("2"));
        holder.rollback();
        assertThat(accepted.get(5, TimeUnit.MINUTES).success()).isTrue();

        await("the reload is refused")
            .atMost(Duration.ofMinutes(5))
            .until(
                () ->
                    running.daemon().status().suspended().stream()
                        .anyMatch(
                            table ->
                                table.state().equals("suspended")
                                    && table.reason().contains("its foreign key of_parent")));
      }
    }
  }

  private TaskConfig config(EmbeddedMariadb source, EmbeddedPostgres target) throws Exception {
    return TaskFolder.of(folder, "cascade", source.port(), target.port(), "shop", "shop")
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/shop\n  password: ${env:HOME}"
                .formatted(source.port()),
            "type: mariadb\n  url: mariadb://root@127.0.0.1:%d/shop".formatted(source.port()))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .config();
  }

  private static void execute(EmbeddedMariadb source, String... statements) throws SQLException {
    try (Connection session = source.connect("shop");
        Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
