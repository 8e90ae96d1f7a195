package dev.sluice.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.sink.lane.LaneId;
import java.nio.file.Path;
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

  private static SinkSettings withHeap(int mebibytes) {
    return new SinkSettings(
        "test",
        TaskSettings.DEFAULTS,
        Path.of("swap"),
        DataSize.ofMebibytes(mebibytes),
        BatchApplyOverrides.NONE);
  }
}
