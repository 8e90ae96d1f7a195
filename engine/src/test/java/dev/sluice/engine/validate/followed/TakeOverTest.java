package dev.sluice.engine.validate.followed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.validation.RereadPoint;
import dev.sluice.sink.control.validation.RereadPoint.JournalState;
import dev.sluice.sink.intake.JournalOffset;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TakeOverTest {
  private static final JournalState NOW = state("topic", "1", 2, 3);
  private static final LaneStarts LANES =
      new LaneStarts(3, new JournalOffset(new Position(100), 1, 1, 1), new Position(120));

  @Test
  void theSameJournalOfTheSameSourceIsReadAgain() {
    assertThat(obstacle(100, NOW)).isEmpty();
  }

  @Test
  void anotherSourceTimelineTopicOrNumberOfLanesIsNot() {
    assertThat(obstacle(100, state("topic", "7", 2, 3))).get().asString().contains("the source");
    assertThat(obstacle(100, state("topic", "1", 1, 3))).get().asString().contains("the source");
    assertThat(obstacle(100, state("other", "1", 2, 3))).get().asString().contains("topic");
    assertThat(obstacle(100, state("topic", "1", 2, 1))).get().asString().contains("lanes was 1");
  }

  @Test
  void aTargetThatIsBehindThePlaceWasSetBack() {
    assertThat(obstacle(101, NOW)).get().asString().contains("set back");
  }

  private static Optional<String> obstacle(long position, JournalState then) {
    return TakeOver.obstacle(
        new RereadPoint(new JournalOffset(new Position(position), 1, 1, 1), then, Map.of()),
        NOW,
        LANES);
  }

  private static JournalState state(String topic, String system, int timeline, int lanes) {
    return new JournalState(topic, new SourceServer(system, timeline), lanes);
  }
}
