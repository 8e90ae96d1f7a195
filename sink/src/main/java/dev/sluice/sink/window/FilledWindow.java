package dev.sluice.sink.window;

import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import java.time.Duration;
import java.util.Optional;

/**
 * A closed window with the resources it holds. Passed from the intake thread to the apply thread,
 * and back when it is applied.
 *
 * @param window the part that the applier gets
 * @param memory its memory budget; changed by the thread that has the window
 * @param filling from its first transaction with changes to its closing
 * @param held the transaction whose encoded changes it needs until it is applied
 */
public record FilledWindow(
    ClosedWindow window,
    MemoryBudget memory,
    Duration filling,
    Optional<CommittedTransaction> held) {

  /** Heap bytes of its changes; of a large transaction the bytes of its journal records. */
  public long bytes() {
    return held.map(CommittedTransaction::encodedBytes).orElseGet(memory::used);
  }
}
