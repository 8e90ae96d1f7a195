package dev.sluice.sink.control.suspension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.report.RejectedRow;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuspensionStoreTest {
  private static final String CONTROL = "control";
  private static final TableId TABLE = new TableId("shop", "order \"s\"");

  private static EmbeddedPostgres postgres;
  private static TargetServer server;
  private static CheckpointStore store;

  private final SuspensionChanges news = new SuspensionChanges();

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start();
    server = TestTarget.of(postgres);
    store = new CheckpointStore(server, CONTROL);
    store.create();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1})
  void aTableIsSuspendedAtItsLanesPositionAndJoinsItAtTheSamePositionOnly(long high)
      throws Exception {
    Checkpoint claimed = begun("joins", new Position(high, 100), "topic");
    SuspensionStore suspensions = suspensions(claimed);
    suspensions.reload(List.of(TABLE));
    assertThat(news.changes()).isEqualTo(1);
    JournalOffset place = suspensions.laneOffset(TABLE);
    assertThat(only(suspensions).applied()).isEqualTo(place);
    assertThat(only(suspensions).state()).isEqualTo(SuspensionState.RELOADING);

    suspensions.markIncomplete(TABLE, place);
    assertThat(only(suspensions).rowsWhole()).isFalse();
    suspensions.copied(TABLE, new Position(high, 120));
    SuspendedTable copied = only(suspensions);
    assertThat(copied.state()).isEqualTo(SuspensionState.CATCHING_UP);
    assertThat(copied.rowsWhole()).isTrue();
    assertThat(copied.applied())
        .isEqualTo(
            new JournalOffset(
                new Position(high, 120), place.term(), place.transaction(), place.nextOffset()));
    try (TableJoin join = suspensions.beginJoin(TABLE)) {
      assertThatThrownBy(join::join).isInstanceOf(SluiceException.Fenced.class);
    }
    assertThat(only(suspensions)).isEqualTo(copied);

    advance(claimed, LaneId.MAIN, new Position(high, 120));
    try (TableJoin join = suspensions.beginJoin(TABLE)) {
      assertThat(join.tablePosition()).isEqualTo(join.lanePosition());
      join.join();
    }
    assertThat(suspensions.read()).isEmpty();
    assertThat(new LaneCheckpoints(server, CONTROL).read("joins")).isEmpty();
  }

  @Test
  void aTableThatIsSuspendedAgainKeepsTheOffsetOfItsLane() throws Exception {
    Checkpoint claimed = begun("again", 100, "topic");
    SuspensionStore suspensions = suspensions(claimed);
    suspensions.reload(List.of(TABLE));
    suspensions.suspend(TABLE, "no slot");
    suspensions.resume(List.of(TABLE));
    advance(claimed, LaneId.catchUp(TABLE), new Position(150));
    assertThat(only(suspensions).applied().position()).isEqualTo(new Position(150));

    suspensions.suspend(TABLE, "a value");
    SuspendedTable suspended = only(suspensions);
    assertThat(suspended.state()).isEqualTo(SuspensionState.SUSPENDED);
    assertThat(suspended.reason()).isEqualTo("a value");
    assertThat(suspended.applied().position()).isEqualTo(new Position(150));
  }

  @Test
  void theCatchUpOffsetIsReadAfterAWindowInFlightHasEnded() throws Exception {
    Checkpoint claimed = begun("waits", 100, "topic");
    SuspensionStore suspensions = suspensions(claimed);
    suspensions.reload(List.of(TABLE));
    suspensions.suspend(TABLE, "no slot");
    suspensions.resume(List.of(TABLE));
    CompletableFuture<JournalOffset> answer;
    try (TargetConnection earlier = server.connect()) {
      WindowCheckpoint lane = new WindowCheckpoint(CONTROL, claimed, LaneId.catchUp(TABLE));
      lane.lock(earlier);
      lane.advance(earlier, new JournalOffset(new Position(150), 1, 2, 30));
      answer = CompletableFuture.supplyAsync(() -> suspensions.catchUpOffset(TABLE));
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> answer.isDone() || earlier.exists("SELECT FROM pg_locks WHERE NOT granted"));
      earlier.jdbc().commit();
    }
    assertThat(answer.join().position()).isEqualTo(new Position(150));
    begun("waits", 100, "topic");
    assertThatThrownBy(() -> suspensions.catchUpOffset(TABLE))
        .isInstanceOf(SluiceException.Fenced.class);
  }

  @Test
  void aTableWhoseJournalIsLostIsResyncedWithTheTaskOrReloaded() {
    SuspensionStore suspensions = suspensions(begun("anew", 100, "topic"));
    suspensions.reload(List.of(TABLE));
    suspensions.suspend(TABLE, "no slot");
    SuspensionStore later = suspensions(begun("anew", 200, "another topic"));
    assertThatThrownBy(() -> later.resume(List.of(TABLE)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("re-created journal")
        .hasMessageContaining("sluice stop, sluice resync, sluice run")
        .hasMessageContaining("sluice reload");
    assertThatThrownBy(() -> suspensions.reload(List.of(TABLE)))
        .isInstanceOf(SluiceException.Fenced.class);
    later.reload(List.of(TABLE));
    assertThat(only(later).state()).isEqualTo(SuspensionState.RELOADING);
  }

  @Test
  void rejectedChangesOfATableAreDeletedWhenItsRowsAreCopied() throws Exception {
    SuspensionStore suspensions = suspensions(begun("mended", 100, "topic"));
    try (TargetConnection connection = server.connect()) {
      ReportTables.APPLY_EXCEPTIONS.createIn(connection, CONTROL);
      for (TableId table : List.of(TABLE, new TableId(TABLE.schema(), "other"))) {
        for (String task : List.of("mended", "another")) {
          RejectedRow.insert(connection, CONTROL, task, table, "0/78");
        }
      }
      connection.jdbc().commit();
    }
    RejectedChanges rejected = new RejectedChanges(CONTROL, "mended");
    suspensions.reload(List.of(TABLE));
    suspensions.markIncomplete(TABLE, suspensions.laneOffset(TABLE));
    assertThat(rejected.read(server)).hasSize(2).containsEntry(TABLE, 1L);
    suspensions.copied(TABLE, new Position(120));
    assertThat(rejected.read(server)).hasSize(1).doesNotContainKey(TABLE);
    assertThat(new RejectedChanges(CONTROL, "another").read(server)).hasSize(2);
  }

  @Test
  void rejectedChangesAfterTheCopiesPositionStay() throws Exception {
    SuspensionStore suspensions = suspensions(begun("later", 100, "topic"));
    try (TargetConnection connection = server.connect()) {
      for (String position : List.of("9/0", "9/FFFFFFFF", "A/0", "A/1", "10/0", "1/0/0")) {
        RejectedRow.insert(connection, CONTROL, "later", TABLE, position);
      }
      connection.jdbc().commit();
    }
    suspensions.reload(List.of(TABLE));
    suspensions.markIncomplete(TABLE, suspensions.laneOffset(TABLE));

    suspensions.copied(TABLE, Position.parse("A/0"));

    assertThat(new RejectedChanges(CONTROL, "later").read(server)).containsEntry(TABLE, 3L);
    try (TargetConnection connection = server.connect()) {
      assertThat(
              connection.exists(
                  "SELECT FROM %s WHERE task_name = 'later' AND position IN ('9/0', 'A/0')"
                      .formatted(ReportTables.APPLY_EXCEPTIONS.in(CONTROL))))
          .isFalse();
    }
  }

  @Test
  void aStateThatThisVersionDoesNotKnowIsNamedWithItsTable() throws Exception {
    SuspensionStore suspensions = suspensions(begun("newer", 100, "topic"));
    suspensions.reload(List.of(TABLE));
    try (TargetConnection connection = server.connect()) {
      connection.execute(
          "UPDATE control.sluice_suspended_tables SET state = 'paused' WHERE task_name = 'newer'");
      connection.jdbc().commit();
    }
    assertThatThrownBy(suspensions::read)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(TABLE + ": its state on the target is paused; expected one of")
        .hasMessageContaining("[suspended, reloading, catching-up]");
  }

  @Test
  void aSnapshotOlderThanTheKeptJournalIsRefused() {
    SuspensionStore suspensions = suspensions(begun("order", 100, "topic"));
    suspensions.reload(List.of(TABLE));
    suspensions.markIncomplete(TABLE, suspensions.laneOffset(TABLE));
    assertThatThrownBy(() -> suspensions.copied(TABLE, new Position(90)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("BUG");
  }

  private static Checkpoint begun(String task, long position, String topic) {
    return begun(task, new Position(position), topic);
  }

  private static Checkpoint begun(String task, Position position, String topic) {
    Checkpoint claimed = store.claim(task);
    Checkpoint begun = claimed.startingAt(position, 7, topic, new SourceServer("7301", 3));
    store.write(begun);
    return begun;
  }

  private SuspensionStore suspensions(Checkpoint claimed) {
    return new SuspensionStore(
        server,
        CONTROL,
        claimed,
        source -> new TableId("target", source.name()),
        news,
        Clock.systemUTC());
  }

  private static SuspendedTable only(SuspensionStore suspensions) {
    assertThat(suspensions.read()).hasSize(1);
    return suspensions.read().get(0);
  }

  private static void advance(Checkpoint claimed, LaneId lane, Position position)
      throws SQLException {
    try (TargetConnection connection = server.connect()) {
      WindowCheckpoint checkpoint = new WindowCheckpoint(CONTROL, claimed, lane);
      checkpoint.lock(connection);
      checkpoint.advance(connection, new JournalOffset(position, 1, 2, 30));
      connection.jdbc().commit();
    }
  }
}
