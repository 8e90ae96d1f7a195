package dev.sluice.embedded.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The first process of a PostgreSQL server. Its parent has ended, and the first process of a
 * container may never reap it. So an ended one may stay in the process table as a zombie, which
 * does not count as alive here. Immutable.
 */
record PostgresProcess(ProcessHandle handle) {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  /** Linux's states for running, sleeping, and waiting for the disk. */
  private static final String RUNNING = "RSD";

  private static final String UNREAPED = "Z";

  /** The process of a data directory's server; empty if none runs. */
  static Optional<PostgresProcess> in(Path directory) throws IOException {
    Path file = directory.resolve("postmaster.pid");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).trim()))
        .map(PostgresProcess::new)
        .filter(process -> !hasEnded(process.handle));
  }

  long pid() {
    return handle.pid();
  }

  /** Kills all processes of the server at once, so that none can write anything. */
  void kill() {
    // Otherwise a client that connects meanwhile would get a new process, which is not killed.
    hold();
    List<ProcessHandle> children = handle.descendants().toList();
    handle.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle process : Stream.concat(Stream.of(handle), children.stream()).toList()) {
      if (!hasEndedWithin(KILL_TIMEOUT, process)) {
        throw new IllegalStateException("process " + process.pid() + " outlives being killed");
      }
    }
  }

  /**
   * Ends all processes of the server without a checkpoint, and releases its shared memory
   * (PostgreSQL's immediate shutdown). It waits for no client.
   */
  void quit() {
    signal("QUIT", handle);
    awaitEnd();
  }

  /**
   * Waits for the server's end, and kills it after 30 s. A server that shuts down waits without a
   * limit for its replication clients, while the library waits 5 s only. After this call the server
   * can be started again.
   */
  void awaitEnd() {
    if (!hasEndedWithin(STOP_TIMEOUT, handle)) {
      kill();
    }
  }

  /** Stops all processes of the server where they are, until {@link #thaw}. */
  void freeze() {
    hold();
    handle.descendants().forEach(child -> signal("STOP", child));
  }

  /** Lets all of them go on. */
  void thaw() {
    handle.descendants().forEach(child -> signal("CONT", child));
    signal("CONT", handle);
  }

  /** Stops the process, so that it starts no other ones. */
  private void hold() {
    signal("STOP", handle);
    long deadline = System.nanoTime() + KILL_TIMEOUT.toNanos();
    while (isIn(RUNNING, handle) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }

  private static void signal(String signal, ProcessHandle process) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "process %d cannot get signal %s".formatted(process.pid(), signal), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean hasEndedWithin(Duration timeout, ProcessHandle process) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!hasEnded(process)) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
    return true;
  }

  private static boolean hasEnded(ProcessHandle process) {
    return !process.isAlive() || isIn(UNREAPED, process);
  }

  /** Whether Linux shows the process in one of the states; false on other systems. */
  private static boolean isIn(String states, ProcessHandle process) {
    try {
      String status = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return states.indexOf(status.charAt(status.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException e) {
      return false;
    }
  }
}
