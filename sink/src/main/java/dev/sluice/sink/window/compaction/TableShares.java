package dev.sluice.sink.window.compaction;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Memory use of the tables that have their own BatchApplyMemoryLimit. Owned by the thread that
 * fills the window or the round.
 */
public final class TableShares {
  private final WindowTuning tuning;
  private final boolean counts;
  private final Map<TableId, Share> shares = new HashMap<>();
  private int reached;

  public TableShares(WindowTuning tuning) {
    this.tuning = tuning;
    this.counts =
        tuning.tables().byTable().values().stream()
            .anyMatch(override -> override.memoryLimit().isPresent());
  }

  /** Adds bytes to the table's memory use; a negative number subtracts them. */
  void charge(TableId table, long bytes) {
    if (!counts) {
      return;
    }
    Share share = shares.computeIfAbsent(table, key -> new Share(tuning.memoryLimit(key)));
    boolean before = share.isReached();
    share.bytes += bytes;
    if (share.isReached() != before) {
      reached += before ? -1 : 1;
    }
  }

  /** True if a table has reached or exceeded its limit. */
  public boolean isReached() {
    return reached > 0;
  }

  private static final class Share {
    private final long limit;
    private long bytes;

    private Share(Optional<DataSize> limit) {
      this.limit = limit.map(DataSize::bytes).orElse(Long.MAX_VALUE);
    }

    private boolean isReached() {
      return bytes >= limit;
    }
  }
}
