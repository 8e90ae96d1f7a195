package dev.sluice.config.task;

import java.nio.file.Path;

/**
 * The task's name and directory, by which commands find its daemon. Immutable.
 *
 * @param dataDir directory of the daemon's files, absolute
 */
public record TaskHome(TaskName task, Path dataDir) {}
