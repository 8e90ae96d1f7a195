package dev.sluice.sink;

import dev.sluice.config.ChangeProcessingTuning;
import dev.sluice.config.DataSize;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the sink needs to know. Immutable. Memory settings are ceilings: in effect is the smaller of
 * the setting and the pool's share of the heap.
 *
 * @param batchApplyEnabled false is the transactional mode
 * @param readyThreshold net changes that are enough for close reason READY
 * @param swapDirectory of this task alone; its swap files are deleted at the start
 * @param swapLimit bytes that swap files may have together
 * @param durableCommitInterval longest time between an applied window and a durable commit
 * @param heap the heap's size, {@link Runtime#maxMemory}
 */
public record SinkSettings(
    String task,
    ChangeProcessingTuning tuning,
    boolean batchApplyEnabled,
    long readyThreshold,
    Path swapDirectory,
    DataSize swapLimit,
    Duration durableCommitInterval,
    RecoverableErrors recoverableErrors,
    DataSize heap) {
  /** Open transactions may have a quarter of the heap. */
  private static final int OPEN_TRANSACTIONS_SHARE = 4;

  /** Each of the two windows may have an eighth. */
  private static final int WINDOW_SHARE = 8;

  /** MemoryLimitTotal as it is in effect. */
  public DataSize effectiveMemoryLimitTotal() {
    return tuning.memoryLimitTotal().min(share(OPEN_TRANSACTIONS_SHARE));
  }

  /** BatchApplyMemoryLimit as it is in effect. */
  public DataSize effectiveBatchApplyMemoryLimit() {
    return tuning.batchApplyMemoryLimit().min(share(WINDOW_SHARE));
  }

  private DataSize share(int parts) {
    return DataSize.ofBytes(heap.bytes() / parts);
  }
}
