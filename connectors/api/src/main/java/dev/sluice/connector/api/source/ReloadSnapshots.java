package dev.sluice.connector.api.source;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;

/** Opens snapshots for loads beside the task's own log: the log is not kept for them. */
public interface ReloadSnapshots {

  /**
   * Opens a snapshot. One that an earlier daemon of this task still holds is closed first.
   *
   * @param timeout how long it may wait for open transactions
   * @throws SluiceException.Fatal if it takes longer, naming the transactions that it waits for
   */
  SourceSnapshot open(Duration timeout);

  /** Ends an {@link #open} that waits, and closes the snapshot. From any thread. */
  void cancel();
}
