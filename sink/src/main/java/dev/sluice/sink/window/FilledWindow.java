package dev.sluice.sink.window;

import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import java.util.Optional;

/**
 * A closed window with the resources it holds. Passed from the intake thread to the apply thread,
 * and back when it is applied.
 *
 * @param window the part that the applier gets
 * @param memory its memory budget; changed by the thread that has the window
 * @param held the transaction whose encoded changes it needs until it is applied
 */
public record FilledWindow(
    ClosedWindow window, MemoryBudget memory, Optional<CommittedTransaction> held) {}
