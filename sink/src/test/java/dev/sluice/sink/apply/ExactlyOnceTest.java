package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.COMMIT;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.embedded.postgres.Relay;
import dev.sluice.embedded.postgres.Relay.Harm;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExactlyOnceTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final RowSchema LOG = schema("log", "text text");

  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run("CREATE TABLE dst.log (text text)");
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  /** A window with one insert into a table without a key, so that applying it twice is visible. */
  private ClosedWindow windowWith(String text) {
    return lab.window(
        net(
            new TableChanges.Multiset(
                LOG, List.of(), List.of(), List.of(new Copies(row(text), 1)))));
  }

  private List<String> log() throws SQLException {
    return lab.rows("SELECT text FROM dst.log ORDER BY text");
  }

  @Test
  void aWindowWhoseCommitWasNotAnsweredIsNotAppliedTwice() throws Exception {
    try (Relay relay = new Relay(lab.postgres.port());
        BatchApplier applier = through(relay)) {
      ClosedWindow window = windowWith("a");
      relay.harmAt(COMMIT, Harm.BREAK_AFTER);
      assertThatThrownBy(() -> applier.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      assertThat(relay.hasHarmed()).isTrue();
      AppliedWindow applied = applier.apply(window);
      assertThat(applied.tables())
          .containsEntry(new TableId("src", "log"), new TableCounters(1, 0, 0, 0));
      applier.apply(windowWith("b"));
      assertThat(log()).containsExactly("a", "b");
    }
  }

  @Test
  void aLaneWithAnUnansweredCommitReadsItsOwnCheckpoint() throws Exception {
    Checkpoint claimed = lab.store().claim("task");
    Lane lane = Lane.of(LaneId.parallel(2), TableFilter.ALL);
    LaneCheckpoints lanes = new LaneCheckpoints(lab.server(), TargetLab.CONTROL);
    lanes.replace(
        claimed,
        List.of(),
        List.of(LaneCheckpoint.startingAt(lane.id(), List.of(), claimed.place())));
    try (Relay relay = new Relay(lab.postgres.port());
        BatchApplier applier =
            lab.applier(
                lab.serverAt(relay.port(), "postgres"),
                claimed,
                new ApplySettings(TargetLab.STOPPING),
                lane)) {
      ClosedWindow window = windowWith("a");
      relay.harmAt(COMMIT, Harm.BREAK_AFTER);
      assertThatThrownBy(() -> applier.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      applier.apply(window);
      applier.makeDurable();
      assertThat(log()).containsExactly("a");
      assertThat(lanes.read("task").get(0).place()).isEqualTo(window.place());
      assertThat(lanes.read("task").get(0).durable()).isEqualTo(window.position());
      assertThat(lab.store().read("task").orElseThrow().position()).isEqualTo(claimed.position());
    }
  }

  @Test
  void aWindowWhoseCommitNeverArrivedIsAppliedAgain() throws Exception {
    try (Relay relay = new Relay(lab.postgres.port());
        BatchApplier applier = through(relay)) {
      ClosedWindow window = windowWith("a");
      relay.harmAt(COMMIT, Harm.BREAK_BEFORE);
      assertThatThrownBy(() -> applier.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      assertThat(log()).isEmpty();
      applier.apply(window);
      assertThat(log()).containsExactly("a");
    }
  }

  @Test
  void aWindowThatDoesNotBeginAtTheCheckpointIsRefused() throws Exception {
    Checkpoint claimed = lab.store().claim("task");
    try (BatchApplier first = lab.applier(lab.server(), claimed, 0);
        BatchApplier second = lab.applier(lab.server(), claimed, 0)) {
      ClosedWindow window = windowWith("a");
      first.apply(window);
      assertThatThrownBy(() -> second.apply(window))
          .as("the same window by another applier")
          .isInstanceOf(SluiceException.Rewound.class);
      lab.goOnAfter(claimed.place());
      ClosedWindow overlapping = windowWith("b");
      assertThatThrownBy(() -> second.apply(overlapping))
          .as("a longer one that has the same rows again")
          .isInstanceOf(SluiceException.Rewound.class)
          .hasMessageContaining("0/110");
      assertThatThrownBy(() -> first.apply(window))
          .as("the same window after its commit was answered")
          .isInstanceOf(SluiceException.Rewound.class);
      lab.goOnAfter(window.place());
      first.apply(windowWith("c"));
    }
    assertThat(log()).containsExactly("a", "c");
  }

  @Test
  void aWindowIsRefusedIfTheSamePositionHasAnotherJournalOffset() throws Exception {
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(windowWith("a"));
      lab.run("UPDATE sluice_control.checkpoint SET journal_transaction = 7");
      assertThatThrownBy(() -> applier.apply(windowWith("b")))
          .isInstanceOf(SluiceException.Rewound.class);
    }
    assertThat(log()).containsExactly("a");
  }

  @Test
  void aSessionThatIsBrokenOffCommitsNothingAndReleasesItsLocks() throws Exception {
    Checkpoint claimed = lab.store().claim("task");
    try (BatchApplier applier = lab.applier(lab.server(), claimed, 0)) {
      lab.sql.setAutoCommit(false);
      lab.run("LOCK TABLE dst.log");
      ClosedWindow window = windowWith("a");
      CompletableFuture<AppliedWindow> blocked =
          CompletableFuture.supplyAsync(() -> applier.apply(window));
      String waiting =
          "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'dst.log'::regclass";
      Awaitility.await().atMost(PATIENCE).until(() -> !lab.rows(waiting).isEmpty());
      applier.breakOff();
      assertThatThrownBy(blocked::join).hasCauseInstanceOf(SluiceException.Retryable.class);
      assertThatThrownBy(() -> applier.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      // It would wait for the row that the statement locked while it waited for the table.
      assertThat(lab.store().claim("task").place()).isEqualTo(claimed.place());
      lab.sql.rollback();
      lab.sql.setAutoCommit(true);
    }
    assertThat(log()).isEmpty();
  }

  @Test
  void aKilledBackendLeavesNoPartOfAWindow() throws Exception {
    try (BatchApplier applier = lab.applier(0)) {
      lab.sql.setAutoCommit(false);
      lab.run("LOCK TABLE dst.log");
      ClosedWindow window = windowWith("a");
      CompletableFuture<AppliedWindow> blocked =
          CompletableFuture.supplyAsync(() -> applier.apply(window));
      String kill =
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND relation ="
              + " 'dst.log'::regclass";
      Awaitility.await().atMost(PATIENCE).until(() -> !lab.rows(kill).isEmpty());
      lab.sql.rollback();
      assertThatThrownBy(blocked::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(SluiceException.Retryable.class);
      lab.sql.setAutoCommit(true);
      assertThat(log()).isEmpty();
      applier.apply(window);
      assertThat(log()).containsExactly("a");
    }
  }

  @Test
  void aWindowWaitsForTheBackendThatMayStillCommitIt() throws Exception {
    lab.run(
        "CREATE FUNCTION dst.wait() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'",
        "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON dst.log DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION dst.wait()",
        "ALTER TABLE dst.log ENABLE ALWAYS TRIGGER wait",
        "SELECT pg_advisory_lock(1)");
    String waiting =
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND datname = current_database()";
    try (Relay relay = new Relay(lab.postgres.port());
        BatchApplier applier = through(relay)) {
      ClosedWindow window = windowWith("a");
      relay.harmAt(COMMIT, Harm.BREAK_DURING);
      assertThatThrownBy(() -> applier.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      Awaitility.await().atMost(PATIENCE).until(() -> lab.rows(waiting).size() == 1);
      CompletableFuture<AppliedWindow> again =
          CompletableFuture.supplyAsync(() -> applier.apply(window));
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> again.isDone() || lab.rows(waiting).size() == 2);
      assertThat(log()).isEmpty();
      lab.run("SELECT pg_advisory_unlock(1)");
      again.join();
      applier.apply(windowWith("b"));
    }
    assertThat(log()).containsExactly("a", "b");
  }

  @Test
  void aLaterClaimFencesTheEarlierDaemon() throws Exception {
    try (BatchApplier first = lab.applier(0)) {
      first.apply(windowWith("a"));
      try (BatchApplier second = lab.applier(0)) {
        ClosedWindow window = windowWith("b");
        assertThatThrownBy(() -> first.apply(window)).isInstanceOf(SluiceException.Fenced.class);
        assertThatThrownBy(first::makeDurable).isInstanceOf(SluiceException.Fenced.class);
        second.apply(window);
      }
    }
    assertThat(log()).containsExactly("a", "b");
  }

  @Test
  void aTargetThatLostWindowsIsReportedAsRewound() throws Exception {
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(windowWith("a"));
      lab.run("UPDATE sluice_control.checkpoint SET position = '0/1'");
      assertThatThrownBy(() -> applier.apply(windowWith("b")))
          .isInstanceOf(SluiceException.Rewound.class)
          .hasMessageContaining("0/1")
          .hasMessageContaining("0/110");
      assertThatThrownBy(applier::makeDurable).isInstanceOf(SluiceException.Rewound.class);
    }
    assertThat(log()).containsExactly("a");
  }

  @Test
  void theDurablePositionIsOnTheTargetsDisk() throws Exception {
    lab.run("ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(windowWith("a"));
      assertThat(lab.store().read("task").orElseThrow().durable().low()).isZero();
      String inserted = lab.rows("SELECT pg_current_wal_insert_lsn()").get(0);
      applier.makeDurable();
      Checkpoint checkpoint = lab.store().read("task").orElseThrow();
      assertThat(checkpoint.durable()).isEqualTo(checkpoint.position());
      assertThat(lab.rows("SELECT pg_current_wal_flush_lsn() >= '" + inserted + "'"))
          .containsExactly("t");
    } finally {
      lab.run("ALTER SYSTEM RESET wal_writer_delay", "SELECT pg_reload_conf()");
    }
  }

  @Test
  void twoTasksDoNotDisturbEachOther() throws Exception {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY)");
    RowSchema item = schema("item", "*id int");
    try (BatchApplier one = lab.applier(0);
        BatchApplier other = lab.applier(lab.server(), lab.store().claim("other"), 0)) {
      JournalOffset start = JournalOffset.beginning(Position.ZERO);
      ClosedWindow a = windowWith("a");
      lab.goOnAfter(start);
      ClosedWindow first = lab.window(net(keyed(item, insert(row("1")))));
      ClosedWindow second = lab.window(net(keyed(item, insert(row("2")))));
      lab.goOnAfter(a.place());
      one.apply(a);
      other.apply(first);
      one.apply(windowWith("b"));
      other.apply(second);
    }
    assertThat(log()).containsExactly("a", "b");
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY 1")).containsExactly("1", "2");
  }

  private BatchApplier through(Relay relay) throws IOException {
    return lab.applier(lab.serverAt(relay.port(), "postgres"), lab.store().claim("task"), 0);
  }
}
