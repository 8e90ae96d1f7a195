package dev.sluice.engine.command;

import java.util.concurrent.Callable;

/**
 * A command that another library adds to the command line, found by {@link java.util.ServiceLoader}
 * and annotated for picocli. Its screen is for its own lines: the log goes to a folder of its own.
 */
public interface ExtraCommand extends Callable<Integer> {}
