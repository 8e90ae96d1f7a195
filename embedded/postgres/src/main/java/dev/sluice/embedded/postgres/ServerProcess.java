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
 * The first process of a PostgreSQL server. It is nobody's child: whoever started it has ended, and
 * the first process of a container may never look after those it is left with. So one that has
 * ended may stand in the process table for good, and does not count as alive here. Immutable.
 */
record ServerProcess(ProcessHandle handle) {
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
  private static final Duration KILL_PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  /** On a processor, waiting for something, waiting for the disk. */
  private static final String RUNNING = "RSD";

  private static final String UNREAPED = "Z";

  /** Of the server of a data directory; empty where that runs none. */
  static Optional<ServerProcess> in(Path directory) throws IOException {
    Path file = directory.resolve("postmaster.pid");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).trim()))
        .map(ServerProcess::new)
        .filter(process -> !hasEnded(process.handle));
  }

  long pid() {
    return handle.pid();
  }

  /** With all processes of the server, none of which gets to write anything. */
  void kill() {
    // A client that comes meanwhile would get a process that nobody kills.
    hold();
    List<ProcessHandle> children = handle.descendants().toList();
    handle.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle process : Stream.concat(Stream.of(handle), children.stream()).toList()) {
      if (!hasEndedWithin(KILL_PATIENCE, process)) {
        throw new IllegalStateException("process " + process.pid() + " outlives being killed");
      }
    }
  }

  /**
   * A server that shuts down waits for what its replication clients have not confirmed, without a
   * limit; the library that starts it looks on for five seconds only. So this waits on, and kills
   * what is then still there: whoever closes a server may start it again at once.
   */
  void awaitEnd() {
    if (!hasEndedWithin(STOP_PATIENCE, handle)) {
      kill();
    }
  }

  /** It starts no process any more, when this returns. */
  private void hold() {
    try {
      new ProcessBuilder("sh", "-c", "kill -STOP " + pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException("process " + pid() + " cannot be held", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    long deadline = System.nanoTime() + KILL_PATIENCE.toNanos();
    while (isIn(RUNNING, handle) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
  }

  private static boolean hasEndedWithin(Duration patience, ProcessHandle process) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!hasEnded(process)) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
    return true;
  }

  private static boolean hasEnded(ProcessHandle process) {
    return !process.isAlive() || isIn(UNREAPED, process);
  }

  /** By the letter that Linux tells; elsewhere it is in none. */
  private static boolean isIn(String states, ProcessHandle process) {
    try {
      String status = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return states.indexOf(status.charAt(status.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException e) {
      return false;
    }
  }
}
