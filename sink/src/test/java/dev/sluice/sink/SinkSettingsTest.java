package dev.sluice.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.BatchApplyOverrides;
import dev.sluice.config.ChangeProcessingTuning;
import dev.sluice.config.DataSize;
import java.nio.file.Path;
import java.time.Duration;
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

  private static SinkSettings withHeap(int mebibytes) {
    return new SinkSettings(
        "test",
        ChangeProcessingTuning.DEFAULTS,
        true,
        10_000,
        Path.of("swap"),
        DataSize.ofMebibytes(100),
        Duration.ofSeconds(5),
        RecoverableErrors.DEFAULTS,
        DataSize.ofMebibytes(mebibytes),
        BatchApplyOverrides.NONE);
  }
}
