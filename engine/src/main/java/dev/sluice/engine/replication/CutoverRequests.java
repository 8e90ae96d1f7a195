package dev.sluice.engine.replication;

import dev.sluice.sink.control.schema.Checkpoint;

/** What a cutover asks of a running replication. Threadsafe. */
public interface CutoverRequests {
  /** The epoch that the main thread holds from now on. */
  void claimed(Checkpoint newest);

  /** Whether the replication is to be ended now. */
  boolean wantsEnd();

  /** The replication has ended with a durable checkpoint. */
  void ended();
}
