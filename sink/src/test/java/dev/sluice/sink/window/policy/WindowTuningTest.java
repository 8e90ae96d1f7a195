package dev.sluice.sink.window.policy;

import static dev.sluice.sink.JournalScript.ITEMS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.sink.Tunings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The task's times are 1 s and 30 s. */
final class WindowTuningTest {
  private static final TableId OTHER = new TableId("shop", "orders");

  @Test
  void aTableWithoutARuleIsAsTheTask() {
    WindowTuning tuning = Tunings.batch(Tunings.forItems(Tunings.split(7)));
    assertThat(tuning.times(OTHER)).isEqualTo(tuning.times());
    assertThat(tuning.isOneByOne(OTHER)).isFalse();
    assertThat(tuning.chunkSize(OTHER)).isEqualTo(Integer.MAX_VALUE);
    assertThat(tuning.chunkSize(ITEMS.table())).isEqualTo(7);
  }

  @Test
  void aTablesSplitSizeOfZeroIsNoLimitAlsoWhereTheTaskHasOne() {
    WindowTuning task = Tunings.splitting(5);
    WindowTuning tuning =
        new WindowTuning(
            true,
            task.times(),
            task.memoryLimit(),
            task.batchSplitSize(),
            50,
            task.durableCommitInterval(),
            Tunings.forItems(Tunings.split(0)));
    assertThat(tuning.chunkSize(ITEMS.table())).isEqualTo(Integer.MAX_VALUE);
    assertThat(tuning.chunkSize(OTHER)).isEqualTo(5);
  }

  @Test
  void ofOneTimeAloneTheLongestWins() {
    assertThat(timesOf(null, Duration.ofMillis(500)))
        .isEqualTo(new WindowTimes(Duration.ofMillis(500), Duration.ofMillis(500)));
    assertThat(timesOf(Duration.ofSeconds(40), null))
        .isEqualTo(new WindowTimes(Duration.ofSeconds(30), Duration.ofSeconds(30)));
    assertThat(timesOf(Duration.ZERO, Duration.ofSeconds(60)))
        .isEqualTo(new WindowTimes(Duration.ZERO, Duration.ofSeconds(60)));
  }

  @Test
  void ofTwoTablesTheShorterTimesHold() {
    WindowTimes one = new WindowTimes(Duration.ofSeconds(1), Duration.ofSeconds(60));
    WindowTimes other = new WindowTimes(Duration.ofSeconds(5), Duration.ofSeconds(30));
    assertThat(one.shorter(other))
        .isEqualTo(other.shorter(one))
        .isEqualTo(new WindowTimes(Duration.ofSeconds(1), Duration.ofSeconds(30)));
  }

  @Test
  void inTransactionalModeEveryTableIsOneByOne() {
    assertThat(Tunings.transactional().isOneByOne(OTHER)).isTrue();
  }

  private static WindowTimes timesOf(Duration least, Duration longest) {
    return Tunings.batch(Tunings.forItems(Tunings.times(least, longest))).times(ITEMS.table());
  }
}
