package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three applications write while the task is cut over. The daemon is frozen while writers are
 * stopped, and killed at random moments of further cutovers, until one that is not killed moves the
 * applications. A longer form is {@code -Dsluice.kills=20}, with other moments {@code
 * -Dsluice.seed=N}.
 */
class CutoverKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 3);
  private static final long SEED = Long.getLong("sluice.seed", 20261123L);
  private static final String DATABASE = "moved";

  /** Seconds after which a frozen daemon has lost its locks. */
  private static final String SHORT = "20";

  /** Seconds that are enough on a busy machine too. */
  private static final String UNHURRIED = "60";

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** About as many lines has the timeline of a cutover up to the decision. */
  private static final int LINES = 12;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  private final Random random = new Random(SEED);
  private final CompletableFuture<Void> moved = new CompletableFuture<>();
  private final List<Till> tills = new ArrayList<>();
  private int probes;

  @Test
  @Timeout(1800)
  void noSaleIsLostOrDoubledWhicheverMomentTheDaemonIsKilled(@TempDir Path folder)
      throws Exception {
    System.out.println("seed " + SEED);
    create();
    Path task = task(folder);
    try {
      for (int number = 1; number <= 3; number++) {
        tills.add(Till.start(number, SERVERS.source(), SERVERS.target(), DATABASE, moved));
      }
      freeze(task, folder.resolve("hold"));
      for (int kill = 0; kill < KILLS && killWhileCuttingOver(task); kill++) {
        // Again, at another moment.
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        if (!isDecided(daemon)) {
          DaemonProcess.Finished cutover = DaemonProcess.command(cutover(task, UNHURRIED));
          assertThat(cutover.exitCode()).as(cutover.output()).isZero();
        }
        daemon.awaitPhase("cut-over");
        moved.complete(null);
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(tills)
                        .allMatch(till -> till.isRefused() && till.onTarget().size() > 10));
        for (Till till : tills) {
          till.end();
        }
        assertMoved();
      }
    } finally {
      for (Till till : tills) {
        till.end();
      }
    }
  }

  /**
   * The last fence cannot come out, since the target is locked; so the frozen daemon holds the
   * locks. Writers go on while it is still frozen.
   */
  private void freeze(Path task, Path hold) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.run(task);
        Connection blocker = SERVERS.target().connect(DATABASE)) {
      daemon.awaitPhase("replicating");
      daemon.awaitAllApplied();
      Files.createFile(hold);
      Path output = task.resolveSibling("frozen.out");
      Process command = DaemonProcess.start(output, List.of(cutover(task, SHORT)));
      Path held = hold.resolveSibling("held");
      await().atMost(PATIENCE).until(() -> Files.exists(held) || !command.isAlive());
      assertThat(held).as(Files.readString(output)).exists();
      // One table: for a second one it could wait for a window that waits for the first.
      Sql.execute(blocker, "BEGIN; LOCK TABLE till.sale");
      awaitSales();
      Files.delete(hold);
      freezeWithLocks(daemon, command, output);
      long frozen = System.nanoTime();
      awaitSales();
      System.out.printf(
          "the writers went on %.2f s after the daemon was frozen%n",
          (System.nanoTime() - frozen) / 1e9);
      Sql.execute(blocker, "ROLLBACK");
      if (random.nextBoolean()) {
        daemon.kill();
        command.destroyForcibly().waitFor();
      } else {
        daemon.thaw();
        assertThat(command.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(command.exitValue()).as(Files.readString(output)).isEqualTo(1);
        daemon.awaitPhase("replicating");
        requireOpen();
        daemon.kill();
      }
    }
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      assertThat(isDecided(daemon)).as("decided after the locks were gone").isFalse();
    }
  }

  /** An attempt to lock may have been given up before the daemon was frozen: then at the next. */
  private void freezeWithLocks(DaemonProcess daemon, Process command, Path output)
      throws Exception {
    while (true) {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> stopped() > 0 || !command.isAlive());
      daemon.freeze();
      if (stopped() > 0) {
        return;
      }
      daemon.thaw();
      assertThat(command.isAlive()).as(Files.readString(output)).isTrue();
    }
  }

  /**
   * Requests a cutover, and kills the daemon behind a random line of its timeline.
   *
   * @return false if the source had decided already
   */
  private boolean killWhileCuttingOver(Path task) throws Exception {
    int lines = 1 + random.nextInt(LINES);
    Duration more = Duration.ofMillis(random.nextInt(20));
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      if (isDecided(daemon)) {
        return false;
      }
      daemon.awaitAllApplied();
      Path output = task.resolveSibling("killed.out");
      Process command = DaemonProcess.start(output, List.of(cutover(task, SHORT)));
      JsonNode cutover = daemon.status().path("cutover");
      while (command.isAlive() && cutover.path("timeline").size() < lines) {
        Thread.sleep(2);
        cutover = daemon.status().path("cutover");
      }
      Thread.sleep(more.toMillis());
      daemon.kill();
      command.destroyForcibly().waitFor();
      System.out.printf(
          "killed %d ms behind line %d: %s%n", more.toMillis(), lines, cutover.path("step"));
      assertThat(cutover.path("timeline")).as(Files.readString(output)).isNotEmpty();
      return true;
    }
  }

  /** A started daemon either replicates from an open source, or the source is closed. */
  private boolean isDecided(DaemonProcess daemon) throws Exception {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> List.of("replicating", "cut-over").contains(phase(daemon)));
    boolean decided = phase(daemon).equals("cut-over");
    System.out.println(decided ? "the source has decided" : "the source is open");
    if (decided) {
      assertThatThrownBy(this::probe)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(Till.REFUSED));
    } else {
      requireOpen();
    }
    return decided;
  }

  private static String phase(DaemonProcess daemon) throws IOException, InterruptedException {
    return daemon.status().path("phase").asText();
  }

  private void requireOpen() throws Exception {
    probe();
    awaitSales();
    assertThat(tills).noneMatch(Till::isRefused);
  }

  /** Each application has another row acknowledged by the source. */
  private void awaitSales() {
    List<Integer> before = tills.stream().map(till -> till.onSource().size()).toList();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .untilAsserted(
            () -> {
              for (int i = 0; i < before.size(); i++) {
                assertThat(tills.get(i).errors()).isEmpty();
                assertThat(tills.get(i).onSource().size()).isGreaterThan(before.get(i) + 1);
              }
            });
  }

  private void probe() throws SQLException {
    try (Connection connection = SERVERS.source().connect(DATABASE)) {
      Sql.execute(
          connection, "INSERT INTO till.sale (what) VALUES ('probe-%d')".formatted(probes + 1));
      probes++;
    }
  }

  /** The number of tables whose writers are stopped. */
  private static int stopped() throws SQLException {
    try (Connection connection = SERVERS.source().connect(DATABASE)) {
      return Integer.parseInt(
          Sql.text(
              connection,
              "SELECT count(*)::text FROM pg_locks"
                  + " WHERE mode = 'ShareRowExclusiveLock' AND granted AND relation IS NOT NULL"));
    }
  }

  /** Every acknowledged row is on the target once, and none was made on the source afterwards. */
  private void assertMoved() throws SQLException {
    List<String> source = new ArrayList<>();
    List<String> both = new ArrayList<>();
    long firstRefusal =
        tills.stream().mapToLong(Till::refusedAt).reduce((a, b) -> a - b < 0 ? a : b).orElseThrow();
    for (Till till : tills) {
      assertThat(till.errors()).isEmpty();
      assertThat(till.onSource())
          .as("begun at the source before it was closed")
          .allMatch(sale -> sale.begun() - firstRefusal < 0);
      till.onSource().forEach(sale -> source.add(sale.what()));
      till.onTarget().forEach(sale -> both.add(sale.what()));
    }
    for (int probe = 1; probe <= probes; probe++) {
      source.add("probe-" + probe);
    }
    both.addAll(source);
    String sales = "SELECT string_agg(what, ' ') FROM till.sale";
    String items = "SELECT sum(sold)::text FROM till.item";
    try (Connection from = SERVERS.source().connect(DATABASE);
        Connection to = SERVERS.target().connect(DATABASE)) {
      assertThat(sorted(Sql.text(from, sales))).isEqualTo(source.stream().sorted().toList());
      assertThat(sorted(Sql.text(to, sales))).isEqualTo(both.stream().sorted().toList());
      assertThat(Sql.text(from, items)).isEqualTo(String.valueOf(source.size() - probes));
      assertThat(Sql.text(to, items)).isEqualTo(String.valueOf(both.size() - probes));
    }
    System.out.printf("%d sales on the source, %d on both%n", source.size(), both.size());
  }

  private static List<String> sorted(String words) {
    return Stream.of(words.split(" ")).sorted().toList();
  }

  private static void create() throws SQLException {
    SERVERS.source().createDatabase(DATABASE);
    SERVERS.target().createDatabase(DATABASE);
    try (Connection connection = SERVERS.source().connect(DATABASE)) {
      Sql.execute(connection, "CREATE SCHEMA till");
      Sql.execute(connection, "CREATE TABLE till.item (id int PRIMARY KEY, sold int NOT NULL)");
      Sql.execute(connection, "INSERT INTO till.item SELECT i, 0 FROM generate_series(1, 100) i");
      Sql.execute(connection, "CREATE TABLE till.sale (id serial PRIMARY KEY, what text NOT NULL)");
    }
  }

  /** With a hook that waits as long as a file is there. */
  private Path task(Path folder) throws IOException {
    Path hold = folder.resolve("hold");
    Path held = folder.resolve("held");
    return TaskFolder.of(folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, "till")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ValidationSettings: {EnableValidation: %s},".formatted(random.nextBoolean())
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .replacing(
            "data-dir:",
            """
            cutover:
              hooks:
                - exec:
                    name: till
                    pause: [sh, -c, 'while test -e %s; do touch %s; sleep 0.02; done']
                    resume: [sh, -c, 'true']
            data-dir:"""
                .formatted(hold, held))
        .write();
  }

  private static String[] cutover(Path task, String budget) {
    return new String[] {
      "cutover",
      task.toString(),
      "--budget",
      budget,
      "--accept",
      "not-proven",
      "--accept",
      "stopped-writers"
    };
  }
}
