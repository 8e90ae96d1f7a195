package dev.sluice.engine.cutover;

import dev.sluice.connector.api.source.writers.StoppedWriters;

/**
 * Who is held, and for how long at most: applications by hooks, sessions of the source by locks.
 * Closing it lets all go on. Owned by the cutover's thread.
 */
record CutoverHolds(
    HeldApplications applications, StoppedWriters writers, Budget budget, BudgetWatch watch)
    implements AutoCloseable {
  /** From now on the time does not end any more. */
  void requireDecidable() {
    budget.require("the decision");
    if (!watch.mayDecide()) {
      throw budget.over("the time was over before the decision");
    }
  }

  @Override
  public void close() {
    // Until the locks are gone the time may end: a source that hangs must not hold anybody.
    writers.close();
    watch.close();
    applications.close();
  }
}
