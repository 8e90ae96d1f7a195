package dev.sluice.sink.window;

import java.util.Locale;

/** What the apply thread spends its time on while it applies windows. */
public enum ApplyStage {
  /** Connects, and waits for the lane's checkpoint row. */
  LOCK,
  /** Reads and decodes a large transaction, plans statements, checks constraints, and the rest. */
  PREPARE,
  DELETE,
  UPDATE,
  INSERT,
  /** Applies changes one after another, in the source's order. */
  ORDERED,
  /** Schema changes and TRUNCATE. */
  DEFINITIONS,
  COMMIT,
  /** Waits until applied windows survive a crash of the target. */
  DURABLE;

  /** The name in metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
