package dev.sluice.sink.progress;

import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;

/**
 * The window that was applied last. Immutable.
 *
 * @param transactions source transactions in it
 * @param changes row changes in it, before compaction
 * @param netChanges net changes that were applied
 * @param statements statements sent for them
 * @param took time from submission to commit, with retries
 */
public record LastWindow(
    CloseReason reason,
    long transactions,
    long changes,
    long netChanges,
    long statements,
    Duration took) {}
