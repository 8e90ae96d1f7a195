package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three applications write while a task with a way back is cut over, and while they are brought
 * back. Both daemons are killed at random moments: while it is armed, while it is cut over, and
 * while changes are carried back. A longer form is {@code -Dsluice.kills=20}, with other moments
 * {@code -Dsluice.seed=N}.
 */
class FallbackKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 3);
  private static final long SEED = Long.getLong("sluice.seed", 20261124L);
  private static final String DATABASE = "back";
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** About as many lines has the timeline of a cutover. */
  private static final int LINES = 16;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  private final Random random = new Random(SEED);
  private final List<Till> tills = new ArrayList<>();

  @Test
  @Timeout(900)
  void noSaleIsLostOrGoesRoundWhicheverDaemonIsKilled(@TempDir Path folder) throws Exception {
    System.out.println("seed " + SEED);
    create();
    Path task = task(folder);
    CompletableFuture<Void> moved = new CompletableFuture<>();
    CompletableFuture<Void> returned = new CompletableFuture<>();
    try {
      open(1, SERVERS.source(), SERVERS.target(), moved);
      for (int kill = 0; kill < KILLS && killWhileCuttingOver(task); kill++) {
        // Again, at another moment.
      }
      try (DaemonProcess forward = DaemonProcess.run(task);
          DaemonProcess back = DaemonProcess.runFallback(task)) {
        if (!isDecided(forward)) {
          cutOver(task);
        }
        forward.awaitPhase("cut-over");
        moved.complete(null);
        back.awaitPhase("replicating");
        awaitSalesAfter();
        back.kill();
      }
      // The task's daemon is not needed any more.
      try (DaemonProcess back = DaemonProcess.runFallback(task)) {
        awaitSalesAfter();
        endTills();
        open(4, SERVERS.target(), SERVERS.source(), returned);
        back.awaitPhase("replicating");
        Process command =
            DaemonProcess.start(task.resolveSibling("killed.out"), List.of(fallback(task)));
        awaitLines(back, command, 1 + random.nextInt(LINES));
        back.kill();
        command.destroyForcibly().waitFor();
      }
      try (DaemonProcess back = DaemonProcess.runFallback(task)) {
        if (!isDecided(back)) {
          DaemonProcess.Finished finished = DaemonProcess.command(fallback(task));
          assertThat(finished.exitCode()).as(finished.output()).isZero();
        }
        back.awaitPhase("cut-over");
        returned.complete(null);
        await()
            .atMost(PATIENCE)
            .until(() -> tills.stream().skip(3).allMatch(till -> till.onTarget().size() > 10));
        endTills();
        assertSoldOnce();
        assertThatThrownBy(() -> sell(SERVERS.target()))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(Till.REFUSED));
      }
    } finally {
      endTills();
    }
  }

  /**
   * Requests a cutover, and kills one daemon or both behind a random line of its timeline.
   *
   * @return false if the source has decided
   */
  private boolean killWhileCuttingOver(Path task) throws Exception {
    try (DaemonProcess forward = DaemonProcess.run(task)) {
      if (isDecided(forward)) {
        return false;
      }
      // Not before: the first load makes the tables of the new side.
      try (DaemonProcess back = DaemonProcess.runFallback(task)) {
        awaitArmed(task);
        Process command =
            DaemonProcess.start(task.resolveSibling("killed.out"), List.of(cutover(task)));
        awaitLines(forward, command, 1 + random.nextInt(LINES));
        int which = random.nextInt(3);
        System.out.println("killed: " + List.of("the task", "the way back", "both").get(which));
        if (which != 1) {
          forward.kill();
        }
        if (which != 0) {
          back.kill();
        }
        command.destroyForcibly().waitFor();
      }
    }
    return true;
  }

  private static void awaitLines(DaemonProcess daemon, Process command, int lines)
      throws IOException, InterruptedException {
    JsonNode cutover = daemon.status().path("cutover");
    while (command.isAlive() && cutover.path("timeline").size() < lines) {
      Thread.sleep(2);
      cutover = daemon.status().path("cutover");
    }
    System.out.println("at line " + lines + ": " + cutover.path("step"));
  }

  /** The task is cut over, or it replicates. */
  private static boolean isDecided(DaemonProcess daemon) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () ->
                List.of("replicating", "cut-over")
                    .contains(daemon.status().path("phase").asText()));
    try {
      return daemon.status().path("phase").asText().equals("cut-over");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitArmed(Path task) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !DaemonProcess.commandHere("cutover", task.toString(), "--dry-run")
                    .output()
                    .contains("fallback-not-armed"));
  }

  /** On a slow machine the way back's last sign of life may be too old just then. */
  private static void cutOver(Path task) throws Exception {
    DaemonProcess.Finished cutover;
    do {
      awaitArmed(task);
      cutover = DaemonProcess.command(cutover(task));
    } while (cutover.exitCode() == 1 && cutover.output().contains("fallback-not-armed"));
    assertThat(cutover.exitCode()).as(cutover.output()).isZero();
  }

  private void open(
      int first, EmbeddedPostgres from, EmbeddedPostgres to, CompletableFuture<Void> moved) {
    for (int number = first; number < first + 3; number++) {
      tills.add(Till.start(number, from, to, DATABASE, moved));
    }
  }

  /** Each application has more rows acknowledged by the new side. */
  private void awaitSalesAfter() {
    List<Integer> before = tills.stream().map(till -> till.onTarget().size()).toList();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                IntStream.range(0, before.size())
                    .allMatch(i -> tills.get(i).onTarget().size() > before.get(i) + 50));
  }

  private void endTills() throws InterruptedException {
    for (Till till : tills) {
      till.end();
    }
  }

  private static void sell(EmbeddedPostgres server) throws SQLException {
    try (Connection connection = server.connect(DATABASE)) {
      Sql.execute(connection, "INSERT INTO till.sale (what) VALUES ('late')");
    }
  }

  /** The old source has every acknowledged row once, and no other. */
  private void assertSoldOnce() throws SQLException {
    List<String> sold = new ArrayList<>();
    for (Till till : tills) {
      assertThat(till.errors()).isEmpty();
      till.onSource().forEach(sale -> sold.add(sale.what()));
      till.onTarget().forEach(sale -> sold.add(sale.what()));
    }
    try (Connection connection = SERVERS.source().connect(DATABASE)) {
      String found = Sql.text(connection, "SELECT string_agg(what, ' ') FROM till.sale");
      assertThat(Stream.of(found.split(" ")).sorted().toList())
          .isEqualTo(sold.stream().sorted().toList());
      assertThat(Sql.text(connection, "SELECT sum(sold)::text FROM till.item"))
          .isEqualTo(String.valueOf(sold.size()));
    }
    System.out.printf("%d sales%n", sold.size());
  }

  private static void create() throws SQLException {
    SERVERS.source().createDatabase(DATABASE);
    SERVERS.target().createDatabase(DATABASE);
    try (Connection connection = SERVERS.source().connect(DATABASE)) {
      Sql.execute(connection, "CREATE ROLE carrier LOGIN SUPERUSER");
      Sql.execute(connection, "CREATE SCHEMA till");
      Sql.execute(connection, "CREATE TABLE till.item (id int PRIMARY KEY, sold int NOT NULL)");
      Sql.execute(connection, "INSERT INTO till.item SELECT i, 0 FROM generate_series(1, 100) i");
      Sql.execute(connection, "CREATE TABLE till.sale (id serial PRIMARY KEY, what text NOT NULL)");
    }
  }

  private static Path task(Path folder) throws IOException {
    return TaskFolder.of(folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, "till")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .fallback("carrier")
        .write();
  }

  private static String[] cutover(Path task) {
    return command("cutover", task);
  }

  private static String[] fallback(Path task) {
    return command("fallback", task);
  }

  private static String[] command(String name, Path task) {
    return new String[] {
      name,
      task.toString(),
      "--budget",
      "30",
      "--accept",
      "not-proven",
      "--accept",
      "stopped-writers"
    };
  }
}
