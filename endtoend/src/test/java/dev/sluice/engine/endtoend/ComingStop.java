package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A task stops at a time that is still to come, and its daemon is killed while it waits for it.
 * Rows are committed until the time and after it: exactly those before it are applied. The servers
 * are on this machine, whose clock is theirs.
 */
final class ComingStop {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** What a daemon logs once it knows where the task stops. */
  private static final String KNOWN = "the task stops after what is committed now";

  /** Before the time; from then on nothing is applied, so that the journal has the stop first. */
  private static final Duration HELD = Duration.ofSeconds(3);

  private static final int BEHIND = 3;

  private final Path task;
  private final Source source;
  private final Connection target;
  private final String table;
  private final List<Integer> committed = new ArrayList<>();
  private int next;

  /** How long is waited for the time: enough for the starts of two daemons. */
  private long seconds = 30;

  /** Commits a transaction with one row of that key. */
  interface Source {
    void insert(int id) throws SQLException;
  }

  /**
   * @param task its file, without a stop
   * @param table of the target, whose key is {@code id}
   * @param first key, which is above all that the table has
   */
  ComingStop(Path task, Source source, Connection target, String table, int first) {
    this.task = task;
    this.source = source;
    this.target = target;
    this.table = table;
    this.next = first;
  }

  /**
   * Lets tasks stop until one daemon was killed and the next one replicated before the time. A
   * machine that is too slow for that gets more time: what it did proves nothing.
   *
   * @param form the word before the time
   */
  void stopsWhereItIsAfterAKill(String form) throws Exception {
    while (!isProved(form)) {
      seconds *= 2;
      assertThat(seconds).as("for the starts of two daemons").isLessThan(1_000);
    }
  }

  /** All keys that were committed, in their order. */
  List<Integer> committed() {
    return committed;
  }

  private boolean isProved(String form) throws Exception {
    Instant moment = Instant.now().plusSeconds(seconds);
    Path folder = Files.createDirectories(task.resolveSibling("coming-" + next));
    Path coming =
        Files.writeString(
            folder.resolve("task.yaml"),
            Files.readString(task) + "cdc-stop-position: " + form + moment + "\n");
    try (DaemonProcess daemon = DaemonProcess.run(coming)) {
      if (!appliesBefore(moment, daemon)) {
        return false;
      }
      daemon.kill();
      assertThat(daemon.output()).doesNotContain(KNOWN);
    }
    int missed = committed.size();
    insert();
    try (DaemonProcess daemon = DaemonProcess.run(coming)) {
      return appliesBefore(moment, daemon) && stopsAt(moment, daemon, missed);
    }
  }

  /** Whether the daemon applies what is committed while it waits for the time. */
  private boolean appliesBefore(Instant moment, DaemonProcess daemon) throws Exception {
    await("replicating")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () ->
                !waits(moment, daemon)
                    || daemon.status().path("phase").asText().equals("replicating"));
    insert();
    await("a row is applied")
        .atMost(PATIENCE)
        .until(() -> !waits(moment, daemon) || applied().equals(committed));
    return waits(moment, daemon);
  }

  /** Whether the time is still to come; a daemon that has ended then does not wait for it. */
  private static boolean waits(Instant moment, DaemonProcess daemon) {
    boolean alive = daemon.isAlive();
    boolean coming = Instant.now().isBefore(moment);
    if (coming) {
      assertThat(alive).as("before %s: %s", moment, daemon.output()).isTrue();
    }
    return coming;
  }

  /**
   * @param missed how many rows were committed before the kill
   * @return false if the time came before anything could be proved
   */
  private boolean stopsAt(Instant moment, DaemonProcess daemon, int missed) throws Exception {
    insertUntil(moment.minus(HELD));
    target.setAutoCommit(false);
    List<Integer> before;
    int between;
    try (Statement hold = target.createStatement()) {
      hold.execute("LOCK TABLE " + table + " IN EXCLUSIVE MODE");
      int held = committed.size();
      insertUntil(moment);
      between = committed.size() - 1;
      if (between <= held) {
        return false;
      }
      before = List.copyOf(committed.subList(0, between));
      assertThat(daemon.isAlive()).as(daemon.output()).isTrue();
      await(KNOWN)
          .atMost(PATIENCE)
          .until(() -> !daemon.isAlive() || daemon.output().contains(KNOWN));
      for (int row = 0; row < BEHIND; row++) {
        insert();
      }
      daemon.awaitJournaled(committed.size() - missed);
    } finally {
      target.rollback();
      target.setAutoCommit(true);
    }
    assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
    List<Integer> applied = applied();
    // One row was committed while the time came.
    applied.remove(committed.get(between));
    assertThat(applied).as("committed before %s", moment).isEqualTo(before);
    return true;
  }

  /** Commits row after row; the last one may be behind the time. */
  private void insertUntil(Instant time) throws SQLException, InterruptedException {
    do {
      insert();
      Thread.sleep(100);
    } while (Instant.now().isBefore(time));
  }

  private void insert() throws SQLException {
    source.insert(next);
    committed.add(next++);
  }

  private List<Integer> applied() throws SQLException {
    List<Integer> ids = new ArrayList<>();
    try (Statement statement = target.createStatement();
        var rows = statement.executeQuery("SELECT id FROM " + table + " ORDER BY id")) {
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
    }
    ids.removeIf(id -> id < next - committed.size());
    return ids;
  }
}
