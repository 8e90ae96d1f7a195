package dev.sluice.connect.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.settings.KafkaTopics.Extent;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionCheckpoint;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class StartPointTest {
  private static final TopicPartition ITEMS = new TopicPartition("shop.items", 1);
  private static final Position APPLIED = new Position(110);

  @Test
  void aFirstStartBeginsWithTheTopicAndTheGivenPosition() {
    Checkpoint start = start(nothing(), APPLIED, new Extent("a", 3, 9), TopicLayout.JOURNAL);
    assertThat(start.nextOffset()).isEqualTo(3);
    assertThat(start.position()).isEqualTo(APPLIED);
    assertThat(start.journalTopicId()).contains("a");
  }

  @Test
  void aFirstStartWithoutAPositionIsRefused() {
    assertThatThrownBy(
            () ->
                StartPoint.of(
                    nothing(), Optional.empty(), new Extent("a", 0, 9), "t", TopicLayout.JOURNAL))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("start.position");
  }

  @Test
  void aFirstStartRejectsATopicWithoutItsFirstRecords() {
    assertThatThrownBy(
            () -> start(nothing(), Position.ZERO, new Extent("a", 3, 9), TopicLayout.ORDERED))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("begins at offset 3");
    assertThat(start(nothing(), APPLIED, new Extent("a", 3, 9), TopicLayout.ORDERED).nextOffset())
        .as("the target holds what came before")
        .isEqualTo(3);
    assertThatThrownBy(() -> StartPoint.of(Optional.empty(), ITEMS, new Extent("a", 3, 9), false))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("shop.items-1")
        .hasMessageContaining("begins at offset 3");
    assertThat(StartPoint.of(Optional.empty(), ITEMS, new Extent("a", 3, 9), true))
        .isEqualTo(PartitionOffset.beginning(3));
  }

  @Test
  void theCheckpointCountsInTheTopicThatItIsOf() {
    assertThat(start(at(5, "a"), Position.ZERO, new Extent("a", 5, 9), TopicLayout.ORDERED))
        .isEqualTo(at(5, "a"));
    assertThat(StartPoint.of(Optional.of(row(5, "a")), ITEMS, new Extent("a", 0, 5), false))
        .isEqualTo(row(5, "a").place());
  }

  @Test
  void aRecreatedTopicIsRejectedIfItsEventsDoNotShowWhatWasApplied() {
    for (Extent other : new Extent[] {new Extent("b", 0, 9), new Extent("a", 0, 4)}) {
      assertThatThrownBy(() -> start(at(5, "a"), Position.ZERO, other, TopicLayout.ORDERED))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("was re-created");
      assertThatThrownBy(() -> StartPoint.of(Optional.of(row(5, "a")), ITEMS, other, false))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("was re-created");
      Checkpoint journal = start(at(5, "a"), Position.ZERO, other, TopicLayout.JOURNAL);
      assertThat(journal.nextOffset()).as("a journal is dropped by position").isZero();
      assertThat(journal.position()).isEqualTo(APPLIED);
    }
  }

  @Test
  void recordsThatWereDeletedBeforeTheyWereAppliedAreMissed() {
    assertThatThrownBy(
            () -> start(at(5, "a"), Position.ZERO, new Extent("a", 6, 9), TopicLayout.ORDERED))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("begins at offset 6")
        .hasMessageContaining("goes on from 5");
    assertThatThrownBy(
            () -> StartPoint.of(Optional.of(row(5, "a")), ITEMS, new Extent("a", 6, 9), false))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("goes on from 5");
  }

  private static Checkpoint start(
      Checkpoint claimed, Position given, Extent extent, TopicLayout layout) {
    return StartPoint.of(claimed, Optional.of(given), extent, "shop.changes", layout);
  }

  private static Checkpoint nothing() {
    return checkpoint(Position.ZERO, 0, Optional.empty());
  }

  private static Checkpoint at(long offset, String topicId) {
    return checkpoint(APPLIED, offset, Optional.of(topicId));
  }

  private static Checkpoint checkpoint(Position position, long offset, Optional<String> topicId) {
    return new Checkpoint("shop", 1, position, position, 2, 3, offset, topicId, Optional.empty());
  }

  private static PartitionCheckpoint row(long offset, String topicId) {
    return new PartitionCheckpoint(
        ITEMS, 1, new PartitionOffset(offset, APPLIED, 2), Optional.of(topicId));
  }
}
