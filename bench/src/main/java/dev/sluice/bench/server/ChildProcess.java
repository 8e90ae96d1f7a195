package dev.sluice.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child process of a benchmark, with a file for its output. Ended by {@code close}, or when this
 * process ends. Owned by one thread.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int SHOWN_LINES = 40;

  private final String name;
  private final Process process;
  private final Path output;
  private final Duration stopTimeout;
  private final Thread atExit;

  private ChildProcess(String name, Process process, Path output, Duration stopTimeout) {
    this.name = name;
    this.process = process;
    this.output = output;
    this.stopTimeout = stopTimeout;
    this.atExit = new Thread(process::destroyForcibly, "bench-" + name + "-stop");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Starts it.
   *
   * @param name for messages: daemon, worker
   * @param output is overwritten
   * @param stopTimeout after which it is ended by force
   */
  public static ChildProcess start(
      String name, List<String> command, Path output, Duration stopTimeout) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new ChildProcess(name, process, output, stopTimeout);
  }

  public long pid() {
    return process.pid();
  }

  /**
   * @throws IllegalStateException where it has ended, with what it printed last
   */
  public void requireAlive() {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "the " + name + " ended with " + process.exitValue() + lastLines());
    }
  }

  /**
   * Waits until it ends.
   *
   * @throws IllegalStateException where it does not end in time, or not with 0
   */
  public void requireSuccess(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(
          "the " + name + " runs after " + limit.toSeconds() + " s" + lastLines());
    }
    if (process.exitValue() != 0) {
      throw new IllegalStateException(
          "the " + name + " ended with " + process.exitValue() + lastLines());
    }
  }

  /** What it printed last, to be put after a message. */
  public String lastLines() {
    try {
      List<String> lines = Files.readAllLines(output);
      return "; its last lines:\n"
          + String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it with SIGTERM, and by force after the timeout. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(stopTimeout.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // This process is ending already.
    }
  }
}
