package dev.sluice.sink.window.policy;

import java.time.Duration;
import java.time.Instant;

/**
 * What the policy looks at. Immutable.
 *
 * @param isEmpty nothing is waiting, not even progress
 * @param barrier it has to end here: a fence, a stop, other settings
 * @param full it can take no more
 * @param times how long it stays open
 * @param openedAt when its first transaction with changes came; null where only progress waits
 * @param span from the source's commit of that transaction to that of its last one
 * @param changes row changes taken
 * @param netChanges what is left of them
 * @param applierIdle a closed window would be applied at once
 * @param caughtUp the journal has no more at present
 * @param lastClosed when the window before it was closed
 */
public record WindowState(
    boolean isEmpty,
    boolean barrier,
    boolean full,
    WindowTimes times,
    Instant openedAt,
    Duration span,
    long changes,
    long netChanges,
    boolean applierIdle,
    boolean caughtUp,
    Instant lastClosed) {}
