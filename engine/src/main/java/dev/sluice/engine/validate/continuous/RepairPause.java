package dev.sluice.engine.validate.continuous;

/**
 * While it is open no row of the target is repaired and no pass begins. Closing it lets both go on,
 * unless a cutover may be decided. Made by {@link Validations}; used by the cutover's thread.
 */
public final class RepairPause implements AutoCloseable {
  private final RepairGate gate;
  private boolean kept;

  /**
   * @param gate that is closed
   */
  RepairPause(RepairGate gate) {
    this.gate = gate;
  }

  /** The source may decide from now on: applications may write to the target. */
  public void keep() {
    kept = true;
  }

  /** The source has not decided, and never will. */
  public void giveUp() {
    kept = false;
    close();
  }

  @Override
  public void close() {
    if (!kept) {
      gate.open();
    }
  }
}
