package dev.sluice.sink.progress;

import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;

/**
 * The window that was applied last. Immutable.
 *
 * @param transactions source transactions in it
 * @param changes row changes in it, before compaction
 * @param netChanges what was applied of them
 * @param statements statements sent for them
 * @param took from its hand-over to the commit, with retries
 */
public record LastWindow(
    CloseReason reason,
    long transactions,
    long changes,
    long netChanges,
    long statements,
    Duration took) {}
