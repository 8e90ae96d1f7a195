package dev.sluice.connect.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

final class DeletedRecordsTest {
  private static final TopicPartition ITEMS = new TopicPartition("items", 0);

  private final List<Object> asked = new ArrayList<>();
  private long start;
  private final DeletedRecords deleted =
      new DeletedRecords(
          Map.of(ITEMS, 5L),
          partitions -> {
            asked.add(partitions);
            return Map.of(ITEMS, start);
          });

  @Test
  void recordsThatFollowEachOtherAskNothing() {
    deleted.check(List.of(record(5), record(6)));
    deleted.check(List.of(record(7)));
    deleted.check(List.of());
    assertThat(asked).isEmpty();
  }

  @Test
  void aGapInALogThatHasItsBeginningIsNone() {
    start = 5;
    deleted.check(List.of(record(7)));
    start = 8;
    deleted.check(List.of(record(9)));
    assertThat(asked).hasSize(2);
  }

  @Test
  void aLogThatGoesBackIsRejected() {
    deleted.check(List.of(record(5), record(6)));
    assertThatThrownBy(() -> deleted.check(List.of(record(6))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("goes back to offset 6, although all records before 7 were read");
    assertThat(asked).isEmpty();
  }

  @Test
  void aLogThatBeginsBehindWhatWasReadLastHasLostRecords() {
    deleted.check(List.of(record(5)));
    start = 9;
    assertThatThrownBy(() -> deleted.check(List.of(record(9))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("now begins at offset 9, but 6 is the next offset to be read");
  }

  private static SinkRecord record(long offset) {
    return new SinkRecord("items", 0, null, null, null, "value", offset);
  }
}
