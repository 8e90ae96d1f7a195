package dev.sluice.config.task;

import java.nio.file.Path;

/**
 * What a task file says of where its daemon is found. Immutable.
 *
 * @param dataDir where the daemon keeps its files, absolute
 */
public record TaskHome(TaskName task, Path dataDir) {}
