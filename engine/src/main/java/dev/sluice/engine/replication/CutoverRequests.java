package dev.sluice.engine.replication;

import dev.sluice.sink.control.schema.Checkpoint;

/** What a cutover requests of the running replication. Threadsafe. */
public interface CutoverRequests {
  /** Notifies the cutover of the epoch that the main thread holds from now on. */
  void claimed(Checkpoint newest);

  /** Whether the replication is to be ended now. */
  boolean wantsEnd();

  /** Notifies the cutover that the replication has ended with a durable checkpoint. */
  void ended();
}
