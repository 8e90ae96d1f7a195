package dev.sluice.sink.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.checkpoint.SuspendedTable;
import dev.sluice.sink.intake.JournalPlace;
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
        Map.of(),
        LongStream.of(suspended).mapToObj(ApplyProgressTest::table).toList(),
        List.of(),
        Optional.empty());
  }

  private static SuspendedTable table(long offset) {
    return new SuspendedTable(
        new TableId("shop", "t" + offset),
        "why",
        Instant.EPOCH,
        new JournalPlace(Position.ZERO, 1, 1, offset),
        Position.ZERO);
  }

  private static AppliedPoint point(long offset) {
    return new AppliedPoint(new JournalPlace(Position.ZERO, 1, 1, offset), Optional.empty());
  }
}
