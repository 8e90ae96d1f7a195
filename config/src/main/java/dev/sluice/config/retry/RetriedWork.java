package dev.sluice.config.retry;

import java.util.Locale;

/** Work that is tried again after a failure that may pass. */
public enum RetriedWork {
  /** A window is applied to the target. */
  APPLY,
  /** Applied windows are made to survive a crash of the target. */
  DURABLE,
  /** The capture is started again beside other work. */
  CAPTURE,
  /** A table is copied again, or catches up. */
  RESYNC,
  /** The task begins again from its checkpoint. */
  TASK;

  /** The name in metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
