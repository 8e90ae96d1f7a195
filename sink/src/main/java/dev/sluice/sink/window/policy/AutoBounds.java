package dev.sluice.sink.window.policy;

import dev.sluice.config.settings.DataSize;
import java.time.Duration;

/**
 * What a window that is chosen by itself keeps to. Immutable.
 *
 * @param goal how long the oldest change of a window may take, as long as the target keeps up
 * @param longest how long a window stays open at most
 * @param memory limit of one window
 */
public record AutoBounds(Duration goal, Duration longest, DataSize memory) {}
