package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The new side is lost while the journal of the way back has changes that are not applied. */
class LostSideTest {
  private static final String DATABASE = "lost";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int APPLIED = 10;
  private static final int WAITING = 50;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  void whatTheJournalHasIsNamedAndAppliedBeforeTheOldSourceIsOpened(@TempDir Path folder)
      throws Exception {
    create();
    Path task = task(folder);
    try (DaemonProcess forward = DaemonProcess.run(task)) {
      forward.awaitPhase("replicating");
      try (DaemonProcess back = DaemonProcess.runFallback(task)) {
        cutOver(task);
        back.awaitPhase("replicating");
        sell(APPLIED);
        await().atMost(PATIENCE).until(() -> sold() == APPLIED);
        leaveInTheJournal(back);
        forward.kill();
      }
    }
    lose(task);

    DaemonProcess.Finished asked = run(task);
    assertThat(asked.exitCode()).as(asked.output()).isEqualTo(2);
    assertThat(asked.output())
        .contains("not applied yet")
        .contains("till.sale " + WAITING + " changes");
    assertThat(sold()).isEqualTo(APPLIED);

    DaemonProcess.Finished opened = run(task, "--yes");
    assertThat(opened.exitCode()).as(opened.output()).isZero();
    assertThat(opened.output())
        .contains("applied to its end", "takes writes again")
        // Started once, to show what the journal has and to apply it.
        .containsOnlyOnce("embedded Kafka listens on");
    assertThat(sold()).isEqualTo(APPLIED + WAITING);

    // It belongs to the applications now: nothing is applied again.
    try (Connection here = SERVERS.source().connect(DATABASE)) {
      Sql.execute(here, "DELETE FROM till.sale WHERE id % 2 = 0");
    }
    int left = sold();
    assertThat(run(task, "--yes").exitCode()).isZero();
    assertThat(sold()).isEqualTo(left);
  }

  /** The way back is killed when it has read changes and cannot apply them. */
  private static void leaveInTheJournal(DaemonProcess back) throws Exception {
    try (Connection lock = SERVERS.source().connect(DATABASE)) {
      lock.setAutoCommit(false);
      Sql.execute(lock, "LOCK TABLE till.sale IN ACCESS EXCLUSIVE MODE");
      sell(WAITING);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                JsonNode status = back.status();
                assertThat(status.path("backlog").path("changes").asLong())
                    .as(status.toString())
                    .isEqualTo(WAITING);
              });
      back.kill();
      lock.rollback();
    }
  }

  private static DaemonProcess.Finished run(Path task, String... more) {
    return more.length == 0
        ? DaemonProcess.commandHere("fallback", task.toString(), "--target-lost")
        : DaemonProcess.commandHere("fallback", task.toString(), "--target-lost", more[0]);
  }

  private static void cutOver(Path task) throws Exception {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !DaemonProcess.commandHere("cutover", task.toString(), "--dry-run")
                    .output()
                    .contains("fallback-not-armed"));
    DaemonProcess.Finished cutover =
        DaemonProcess.command("cutover", task.toString(), "--budget", "20");
    assertThat(cutover.exitCode()).as(cutover.output()).isZero();
  }

  /** Nothing answers at its address any more. */
  private static void lose(Path task) throws Exception {
    String text = Files.readString(task);
    String there = "127.0.0.1:" + SERVERS.target().port();
    assertThat(text).contains(there);
    Files.writeString(task, text.replace(there, "127.0.0.1:" + FreePort.find()));
  }

  private static void sell(int rows) throws SQLException {
    try (Connection there = SERVERS.target().connect(DATABASE)) {
      Sql.execute(
          there,
          "INSERT INTO till.sale (what) SELECT 'sold' FROM generate_series(1, " + rows + ")");
    }
  }

  private static int sold() throws SQLException {
    try (Connection here = SERVERS.source().connect(DATABASE)) {
      return Integer.parseInt(Sql.text(here, "SELECT count(*) FROM till.sale"));
    }
  }

  private static void create() throws SQLException {
    EmbeddedPostgres source = SERVERS.source();
    source.createDatabase(DATABASE);
    SERVERS.target().createDatabase(DATABASE);
    try (Connection connection = source.connect(DATABASE)) {
      Sql.execute(connection, "CREATE ROLE carrier LOGIN SUPERUSER");
      Sql.execute(connection, "CREATE SCHEMA till");
      Sql.execute(connection, "CREATE TABLE till.sale (id serial PRIMARY KEY, what text NOT NULL)");
    }
  }

  private static Path task(Path folder) throws Exception {
    return TaskFolder.of(folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, "till")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .fallback("carrier")
        .write();
  }
}
