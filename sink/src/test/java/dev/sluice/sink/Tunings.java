package dev.sluice.sink;

import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Settings of windows for tests, of which a test says what matters to it. */
public final class Tunings {
  private Tunings() {}

  public static WindowTuning batch() {
    return of(true, 0, BatchApplyOverrides.NONE);
  }

  public static WindowTuning transactional() {
    return of(false, 0, BatchApplyOverrides.NONE);
  }

  /** Batch mode with so many rows to a statement. */
  public static WindowTuning splitting(int batchSplitSize) {
    return of(true, batchSplitSize, BatchApplyOverrides.NONE);
  }

  /** Batch mode with settings of their own for some tables. */
  public static WindowTuning batch(BatchApplyOverrides tables) {
    return of(true, 0, tables);
  }

  /** Batch mode with so many prepared statements. */
  public static WindowTuning caching(int statements) {
    WindowTuning batch = batch();
    return new WindowTuning(
        true,
        batch.times(),
        batch.memoryLimit(),
        0,
        statements,
        batch.durableCommitInterval(),
        BatchApplyOverrides.NONE);
  }

  /** Settings of their own for the table of {@link JournalScript#ITEMS}. */
  public static BatchApplyOverrides forItems(BatchApplyOverride override) {
    return new BatchApplyOverrides(Map.of(JournalScript.ITEMS.table(), override));
  }

  public static BatchApplyOverride oneByOne() {
    return new BatchApplyOverride(
        true, Optional.empty(), Optional.empty(), Optional.empty(), OptionalInt.empty());
  }

  public static BatchApplyOverride times(Duration least, Duration longest) {
    return new BatchApplyOverride(
        false,
        Optional.ofNullable(least),
        Optional.ofNullable(longest),
        Optional.empty(),
        OptionalInt.empty());
  }

  public static BatchApplyOverride memory(long bytes) {
    return new BatchApplyOverride(
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.of(DataSize.ofBytes(bytes)),
        OptionalInt.empty());
  }

  public static BatchApplyOverride split(int batchSplitSize) {
    return new BatchApplyOverride(
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalInt.of(batchSplitSize));
  }

  private static WindowTuning of(boolean compact, int batchSplitSize, BatchApplyOverrides tables) {
    return new WindowTuning(
        compact,
        new WindowTimes(Duration.ofSeconds(1), Duration.ofSeconds(30)),
        DataSize.ofMebibytes(10),
        batchSplitSize,
        50,
        Duration.ofSeconds(5),
        tables);
  }
}
