package dev.sluice.connector.postgres.slot;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.ReloadSnapshots;
import dev.sluice.connector.api.source.SourceSnapshot;
import java.time.Duration;
import java.util.function.Function;

/**
 * Opens snapshots by a temporary slot beside the task's own, which is dropped when they close.
 * Threadsafe.
 */
public final class TemporarySlot implements ReloadSnapshots {
  private static final String SUFFIX = "_reload";

  private final ReplicationSlot slot;

  private TemporarySlot(ReplicationSlot slot) {
    this.slot = slot;
  }

  /**
   * The temporary slot of a task.
   *
   * @param own the name of the task's own slot
   * @param named makes the slot of a name
   */
  public static TemporarySlot beside(String own, Function<String, ReplicationSlot> named) {
    String begin =
        own.length() <= TableId.LONGEST_NAME - SUFFIX.length()
            ? own
            : own.substring(0, TableId.LONGEST_NAME - SUFFIX.length() - 9)
                + "_%08x".formatted(own.hashCode());
    return new TemporarySlot(named.apply(begin + SUFFIX));
  }

  public String name() {
    return slot.name();
  }

  @Override
  public SourceSnapshot open(Duration timeout) {
    return slot.createTemporary(timeout);
  }

  @Override
  public void cancel() {
    // A slot that waits for open transactions can only be cancelled on the server.
    slot.release();
  }
}
