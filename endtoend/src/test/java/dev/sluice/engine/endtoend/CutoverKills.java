package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.MovedSides;
import dev.sluice.engine.Sql;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application writes to PostgreSQL while the task is cut over to a database of another kind, and
 * the daemon is killed on the way, before the decision and right behind it. Other moments: {@code
 * -Dsluice.seed=N}.
 */
abstract class CutoverKills {
  private static final long SEED = Long.getLong("sluice.seed", 20261128L);
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** About as many lines has the timeline before the source is asked to decide. */
  private static final int LINES = 8;

  private static final String DATABASE = "moved";

  private static final String SETTINGS =
      """
      {FullLoadSettings: {TargetTablePrepMode: %s},
       ValidationSettings: {EnableValidation: true},
       ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}""";

  private static final String WHAT = "SELECT what FROM shop.sale ORDER BY id";

  /** Each column of both tables, in statements that every target takes. */
  private static final List<String> ROWS =
      List.of(
          "SELECT id FROM shop.sale ORDER BY id",
          "SELECT item FROM shop.sale ORDER BY id",
          WHAT,
          "SELECT id FROM shop.item ORDER BY id",
          "SELECT sold FROM shop.item ORDER BY id");

  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private volatile boolean closing;

  abstract MovedSides servers() throws Exception;

  /** The mode in which the load prepares the tables. */
  String preparation() {
    return "DROP_AND_CREATE";
  }

  /** Makes what the task needs on the target. */
  void prepareTarget(MovedSides sides) throws SQLException {
    sides.createShop();
  }

  /** As an application: names in lower case without quotes. */
  List<String> onTarget(MovedSides sides, String... statements) throws SQLException {
    return sides.onTarget(statements);
  }

  /** What is accepted of the target's kind. */
  List<String> accepted() {
    return List.of();
  }

  void assertConstraints(MovedSides sides) throws SQLException {
    assertThat(
            onTarget(
                sides,
                "SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS"
                    + " WHERE CONSTRAINT_SCHEMA = 'shop'"))
        .containsExactly("sale_item_fkey");
  }

  @Test
  @Timeout(1800)
  void noSaleIsLostOrDoubledAndNothingIsWrittenAfterTheMove(@TempDir Path folder) throws Exception {
    System.out.println("seed " + SEED);
    try (MovedSides sides = servers()) {
      create(sides);
      Path task = sides.task(folder, DATABASE, SETTINGS.formatted(preparation())).write();
      CompletableFuture<Void> till = CompletableFuture.runAsync(() -> sell(sides.source()));
      try {
        kill(task, "", 1 + new Random(SEED).nextInt(LINES));
        awaitSales(till);
        kill(task, "it is closed for writers", Integer.MAX_VALUE);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          if (!isDecided(daemon)) {
            DaemonProcess.Finished cutover = DaemonProcess.command(cutover(task));
            assertThat(cutover.exitCode()).as(cutover.output()).isZero();
          }
          daemon.awaitPhase("cut-over");
          till.join();
          assertMoved(sides);
          goOnThere(sides);
          assertThat(daemon.terminate()).isZero();
        }
        List<List<String>> rows = rows(sides);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("cut-over");
          assertThat(DaemonProcess.command(cutover(task)).exitCode()).isZero();
          assertThat(daemon.terminate()).isZero();
        }
        assertThat(rows(sides)).isEqualTo(rows);
      } finally {
        closing = true;
        till.join();
      }
    }
  }

  /** Requests a cutover, and kills the daemon at a line of its timeline, or behind so many. */
  private void kill(Path task, String at, int lines) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      assertThat(isDecided(daemon)).isFalse();
      daemon.awaitAllApplied();
      Path output = task.resolveSibling("killed.out");
      Process command = DaemonProcess.start(output, List.of(cutover(task)));
      JsonNode timeline = daemon.status().path("cutover").path("timeline");
      while (command.isAlive()
          && timeline.size() < lines
          && (at.isEmpty() || !timeline.toString().contains(at))) {
        // Each poll costs the daemon, too, which is to get there.
        Thread.sleep(2);
        timeline = daemon.status().path("cutover").path("timeline");
      }
      daemon.kill();
      command.destroyForcibly().waitFor();
      assertThat(timeline).as(Files.readString(output)).isNotEmpty();
      assertThat(timeline.toString()).as(Files.readString(output)).contains(at);
      System.out.printf("killed behind %s%n", timeline.get(timeline.size() - 1));
    }
  }

  private static boolean isDecided(DaemonProcess daemon) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> List.of("replicating", "cut-over").contains(phase(daemon)));
    try {
      return phase(daemon).equals("cut-over");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String phase(DaemonProcess daemon) throws IOException, InterruptedException {
    return daemon.status().path("phase").asText();
  }

  /** Until the source refuses it: each sale is one row, and one more of its item. */
  private void sell(EmbeddedPostgres source) {
    try (Connection session = source.connect(DATABASE)) {
      session.setAutoCommit(false);
      while (!closing) {
        int item = 1 + acknowledged.size() % 100;
        String what = "sold " + acknowledged.size();
        Sql.texts(
            session,
            "INSERT INTO shop.sale (item, what) VALUES (%d, '%s')".formatted(item, what),
            "UPDATE shop.item SET sold = sold + 1 WHERE id = " + item);
        session.commit();
        acknowledged.add(what);
        LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
      }
    } catch (SQLException e) {
      assertThat(e.getMessage()).contains("was moved to");
    }
  }

  private void awaitSales(CompletableFuture<Void> till) {
    int before = acknowledged.size();
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(till).isNotDone();
              return acknowledged.size() > before + 5;
            });
  }

  private void assertMoved(MovedSides sides) throws SQLException {
    for (String column : ROWS) {
      assertThat(onTarget(sides, column)).isEqualTo(sides.onSource(DATABASE, column)).isNotEmpty();
    }
    assertThat(onTarget(sides, WHAT)).isEqualTo(acknowledged);
    assertConstraints(sides);
  }

  /** The next number of the application is none that the source has given. */
  private void goOnThere(MovedSides sides) throws SQLException {
    onTarget(
        sides,
        "UPDATE shop.item SET sold = -1 WHERE id = 1",
        "INSERT INTO shop.sale (item, what) VALUES (1, 'there')");
    String given = sides.onSource(DATABASE, "SELECT last_value FROM shop.sale_id_seq").get(0);
    assertThat(onTarget(sides, "SELECT id FROM shop.sale WHERE what = 'there'"))
        .singleElement()
        .satisfies(id -> assertThat(Long.parseLong(id)).isGreaterThan(Long.parseLong(given)));
  }

  private List<List<String>> rows(MovedSides sides) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    for (String column : ROWS) {
      rows.add(onTarget(sides, column));
    }
    return rows;
  }

  private void create(MovedSides sides) throws SQLException {
    sides.source().createDatabase(DATABASE);
    sides.onSource(
        DATABASE,
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.item (id int PRIMARY KEY, sold int NOT NULL)",
        "INSERT INTO shop.item SELECT i, 0 FROM generate_series(1, 100) i",
        "CREATE TABLE shop.sale (id bigserial PRIMARY KEY, item int NOT NULL REFERENCES shop.item, what varchar(40))");
    prepareTarget(sides);
  }

  private String[] cutover(Path task) {
    List<String> arguments = new ArrayList<>(List.of("cutover", task.toString(), "--budget", "60"));
    List<String> kinds = new ArrayList<>(accepted());
    // Numbers that a daemon set which was killed before it noted them.
    kinds.addAll(List.of("not-proven", "stopped-writers", "used-sequences"));
    kinds.forEach(kind -> arguments.addAll(List.of("--accept", kind)));
    return arguments.toArray(String[]::new);
  }
}
