package dev.sluice.engine.context;

import dev.sluice.connector.api.Capture.CaptureProgress;

/** Progress of the replication that runs. Threadsafe. */
public interface RunningReplication {
  CaptureProgress captured();

  /** Counters of what all its lanes have applied. */
  TaskCounters applied();

  /** Whether the load limits slow down the reload of a table at present. */
  boolean isReloadThrottled();
}
