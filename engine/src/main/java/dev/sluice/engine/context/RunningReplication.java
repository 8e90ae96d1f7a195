package dev.sluice.engine.context;

import dev.sluice.connector.api.Capture.CaptureProgress;

/** What a replication reports of itself while it runs. Threadsafe. */
public interface RunningReplication {
  CaptureProgress captured();

  /** What all its lanes have applied. */
  TaskCounters applied();

  /** Whether a reload of a table is held up by its limits. */
  boolean isReloadThrottled();
}
