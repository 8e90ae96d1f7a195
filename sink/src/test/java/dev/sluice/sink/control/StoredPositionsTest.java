package dev.sluice.sink.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.PartitionCheckpoint;
import dev.sluice.sink.control.position.PartitionCheckpoints;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.report.StatusTable;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.common.TopicPartition;

/** Positions of all widths in the control tables of a real server. */
class StoredPositionsTest {
  private static final String CONTROL = "control";
  private static final TableId TABLE = new TableId("shop", "orders");
  private static final LaneId LANE = new LaneId("lane 2");
  private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

  private static EmbeddedPostgres postgres;
  private static TargetServer server;
  private static CheckpointStore store;

  @BeforeContainer
  static void start() {
    postgres = EmbeddedPostgres.start();
    server = TestTarget.of(postgres);
    store = new CheckpointStore(server, CONTROL);
    store.create();
  }

  @AfterContainer
  static void stop() {
    postgres.close();
  }

  @Property(tries = 25)
  void theCheckpointsOfAllLanesComeBackAndMoveTogether(
      @ForAll long high, @ForAll long low, @ForAll long later) throws SQLException {
    JournalOffset before = new JournalOffset(new Position(high, low), 1, 2, 3);
    JournalOffset after = new JournalOffset(new Position(high, later), 1, 3, 4);
    Checkpoint claimed = store.claim("lanes");
    store.write(claimed.startingAt(before.position(), 3, "topic", new SourceServer("7301", 3)));
    LaneCheckpoints lanes = new LaneCheckpoints(server, CONTROL);
    LaneCheckpoint lane = LaneCheckpoint.startingAt(LANE, List.of(TABLE), before);
    lanes.replace(claimed, lanes.read("lanes"), List.of(lane));
    assertThat(lanes.read("lanes")).containsExactly(lane);

    try (TargetConnection connection = server.connect()) {
      WindowCheckpoint main = new WindowCheckpoint(CONTROL, claimed, LaneId.MAIN);
      assertThat(main.lock(connection).position()).isEqualTo(before.position());
      main.advance(connection, after);
      main.advanceOthers(connection, Set.of(LANE), before, after);
      main.harden(connection);
      connection.jdbc().commit();
    }

    Checkpoint moved = store.read("lanes").orElseThrow();
    assertThat(moved.position()).isEqualTo(after.position());
    assertThat(moved.durable()).isEqualTo(after.position());
    assertThat(lanes.read("lanes"))
        .containsExactly(new LaneCheckpoint(LANE, List.of(TABLE), after, before.position()));
  }

  @Property(tries = 25)
  void theCheckpointOfAPartitionComesBack(@ForAll long high, @ForAll long low) {
    PartitionCheckpoints partitions = new PartitionCheckpoints(server, CONTROL);
    PartitionCheckpoint claimed =
        partitions.claim("parts", List.of(PARTITION), Duration.ZERO).get(PARTITION);
    PartitionCheckpoint written =
        claimed.at(new PartitionOffset(5, new Position(high, low), 6), "topic");
    partitions.write("parts", List.of(written));
    assertThat(partitions.read("parts")).containsEntry(PARTITION, written);
  }

  @Property(tries = 25)
  void theStatusNamesThePosition(@ForAll long high, @ForAll long low) throws SQLException {
    Position position = new Position(high, low);
    long epoch = store.claim("status").epoch();
    StatusTable.Row row =
        new StatusTable.Row(
            "RUNNING",
            0,
            0,
            0,
            Optional.of(position),
            Optional.empty(),
            Optional.of(position),
            Optional.empty(),
            Optional.empty(),
            "running",
            null,
            0);
    new StatusTable(server, CONTROL, "status").write(epoch, row);
    try (TargetConnection connection = server.connect()) {
      assertThat(
              connection.exists(
                  """
                  SELECT FROM control.sluice_status WHERE task_name = 'status'
                    AND source_current_position = '%1$s' AND source_tail_position = '%1$s'
                  """
                      .formatted(position)))
          .isTrue();
    }
  }
}
