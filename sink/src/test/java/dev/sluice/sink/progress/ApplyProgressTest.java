package dev.sluice.sink.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ApplyProgressTest {

  @Test
  void theJournalIsNeededFromTheDurableCheckpointOrTheFirstSuspendedTableOn() {
    assertThat(progress(40).neededOffset()).isEqualTo(40);
    assertThat(progress(40, 30, 20).neededOffset()).isEqualTo(20);
    assertThat(progress(40, 50).neededOffset()).isEqualTo(40);
  }

  @Test
  void joinedLanesAreAtThePositionOfTheLastOneAndHavePassedWhatAllHavePassed() {
    ApplyProgress one = lane(SinkState.RUNNING, 100, 40, "a", "b");
    ApplyProgress other = lane(SinkState.TARGET_RETRY, 90, 80, "b", "c");
    ApplyProgress third = lane(SinkState.RUNNING, 95, 60, "a", "b", "c");
    ApplyProgress all = one.and(other).and(third);
    assertThat(all.applied()).isEqualTo(point(90));
    assertThat(all.durable()).isEqualTo(point(40));
    assertThat(all.neededOffset()).isEqualTo(40);
    assertThat(all.fences()).containsExactly("b");
    assertThat(all.state()).isEqualTo(SinkState.TARGET_RETRY);
    assertThat(all.changes()).isEqualTo(30);
  }

  /** It is further than the other one, and has nothing new to apply. */
  @Test
  void theJournalIsNeededByALaneThatReadsItAgain() {
    ApplyProgress advances = lane(SinkState.RUNNING, point(15, 500));
    ApplyProgress reads = lane(SinkState.RUNNING, point(20, 0));
    for (ApplyProgress all : List.of(advances.and(reads), reads.and(advances))) {
      assertThat(all.neededOffset()).isZero();
      assertThat(all.durable().position()).isEqualTo(new Position(15));
    }
  }

  @Test
  void ifOneLaneFailedTheTaskHasFailed() {
    ApplyProgress running = lane(SinkState.RUNNING, 100, 40);
    assertThat(running.and(lane(SinkState.FAILED, 100, 40)).state()).isEqualTo(SinkState.FAILED);
    assertThat(lane(SinkState.STOPPED, 100, 40).and(running).state()).isEqualTo(SinkState.RUNNING);
  }

  private static ApplyProgress progress(long durable, long... suspended) {
    return new ApplyProgress(
        SinkState.RUNNING,
        "",
        point(100),
        point(durable),
        0,
        Optional.empty(),
        0,
        0,
        WindowFigures.NONE,
        Map.of(),
        LongStream.of(suspended).mapToObj(ApplyProgressTest::table).toList(),
        List.of(),
        Optional.empty());
  }

  private static ApplyProgress lane(SinkState state, long applied, long durable, String... fences) {
    return lane(state, point(applied), point(durable), fences);
  }

  private static ApplyProgress lane(SinkState state, AppliedPoint point) {
    return lane(state, point, point);
  }

  private static ApplyProgress lane(
      SinkState state, AppliedPoint applied, AppliedPoint durable, String... fences) {
    return new ApplyProgress(
        state,
        "",
        applied,
        durable,
        1,
        Optional.empty(),
        10,
        5,
        WindowFigures.NONE,
        Map.of(),
        List.of(),
        List.of(fences),
        Optional.empty());
  }

  private static SuspendedTable table(long offset) {
    return new SuspendedTable(
        new TableId("shop", "t" + offset),
        "why",
        Instant.EPOCH,
        new JournalOffset(Position.ZERO, 1, 1, offset),
        Position.ZERO);
  }

  private static AppliedPoint point(long offset) {
    return point(offset, offset);
  }

  private static AppliedPoint point(long position, long offset) {
    return new AppliedPoint(
        new JournalOffset(new Position(position), 1, 1, offset), Optional.empty());
  }
}
