package dev.sluice.engine.command;

import java.util.concurrent.Callable;

/**
 * A command that another library adds to the command line, found by {@link java.util.ServiceLoader}
 * and annotated for picocli. The log goes to a folder, so that the screen shows only its output.
 */
public interface ExtraCommand extends Callable<Integer> {}
