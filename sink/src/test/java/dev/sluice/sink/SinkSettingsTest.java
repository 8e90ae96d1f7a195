package dev.sluice.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.window.policy.WindowTimes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With DMS's defaults: MemoryLimitTotal 1024 MB, BatchApplyMemoryLimit 500 MB. */
final class SinkSettingsTest {

  @Test
  void memorySettingsAreCeilingsAboveTheHeapsShares() {
    SinkSettings small = withHeap(512);
    assertThat(small.effectiveMemoryLimitTotal()).isEqualTo(DataSize.ofMebibytes(128));
    assertThat(small.windowTuning().memoryLimit()).isEqualTo(DataSize.ofMebibytes(64));
    assertThat(small.loweredByHeap("ChangeProcessingTuning.MemoryLimitTotal"))
        .contains("128.0 MiB");
    assertThat(small.loweredByHeap("ChangeProcessingTuning.BatchApplyMemoryLimit"))
        .contains("64.0 MiB");
    assertThat(small.loweredByHeap("ChangeProcessingTuning.BatchSplitSize")).isEmpty();
  }

  @Test
  void aLargeHeapChangesNoSetting() {
    SinkSettings large = withHeap(8192);
    assertThat(large.effectiveMemoryLimitTotal()).isEqualTo(DataSize.ofMebibytes(1024));
    assertThat(large.windowTuning().memoryLimit()).isEqualTo(DataSize.ofMebibytes(500));
    assertThat(large.loweredByHeap("ChangeProcessingTuning.MemoryLimitTotal")).isEmpty();
  }

  @Test
  void severalLanesHaveTogetherNoMoreThanTheTask() {
    SinkSettings small = withHeap(512);
    SinkSettings third = small.shareOf(LaneId.parallel(3), 3);
    assertThat(3 * third.effectiveMemoryLimitTotal().bytes())
        .isBetween(small.effectiveMemoryLimitTotal().bytes() - 3, 128L << 20);
    assertThat(3 * third.effectiveBatchApplyMemoryLimit().bytes())
        .isBetween(small.effectiveBatchApplyMemoryLimit().bytes() - 3, 64L << 20);
    assertThat(3 * third.get(SluiceSettings.SWAP_LIMIT).bytes())
        .isLessThanOrEqualTo(small.get(SluiceSettings.SWAP_LIMIT).bytes());
    assertThat(third.swapDirectory()).isEqualTo(Path.of("swap", "lane-3"));
    assertThat(small.shareOf(LaneId.MAIN, 3).swapDirectory()).isEqualTo(Path.of("swap"));
    assertThat(small.shareOf(LaneId.MAIN, 1)).isSameAs(small);
  }

  @Test
  void aCatchUpWaitsForNoLongerThanTheLongestTimeEvenIfTheLeastIsChosen() {
    for (Duration longest : List.of(Duration.ZERO, Duration.ofMillis(50), Duration.ofSeconds(30))) {
      TaskSettings auto =
          TaskSettings.DEFAULTS
              .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN, LeastWindowTime.AUTO)
              .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX, longest);
      WindowTimes times = with(auto, 512).forCatchUp().windowTuning().times();
      assertThat(times.longest()).isEqualTo(longest);
      assertThat(times.least())
          .isLessThanOrEqualTo(longest)
          .isLessThanOrEqualTo(Duration.ofMillis(100));
    }
  }

  private static SinkSettings withHeap(int mebibytes) {
    return with(TaskSettings.DEFAULTS, mebibytes);
  }

  private static SinkSettings with(TaskSettings settings, int mebibytes) {
    return new SinkSettings(
        "test",
        settings,
        Path.of("swap"),
        DataSize.ofMebibytes(mebibytes),
        BatchApplyOverrides.NONE);
  }
}
