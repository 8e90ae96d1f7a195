package dev.sluice.engine.cutover.hook;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A command's process and all that it started. A process whose parent ended is nobody's descendant
 * any more, so those seen are kept, and on Linux the others are known by a variable of their
 * environment. Owned by one thread.
 */
final class StartedProcesses {
  private static final String VARIABLE = "SLUICE_HOOK_RUN";
  private static final int KILL_ROUNDS = 10;

  private final String mark = UUID.randomUUID().toString();
  private final Set<ProcessHandle> seen = new HashSet<>();

  /** Marks the environment of the command, before it is started. */
  void mark(Map<String, String> environment) {
    environment.put(VARIABLE, mark);
  }

  void started(Process process) {
    seen.add(process.toHandle());
  }

  /** Looks for processes that were started meanwhile. */
  void look() {
    Set<ProcessHandle> more = new HashSet<>();
    seen.forEach(process -> process.descendants().forEach(more::add));
    seen.addAll(more);
  }

  /** Kills all of them; again, since a process may start others while it is being killed. */
  void kill() {
    for (int round = 0; round < KILL_ROUNDS; round++) {
      look();
      try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
        all.filter(this::isMarked).forEach(seen::add);
      }
      if (seen.stream().noneMatch(ProcessHandle::isAlive)) {
        return;
      }
      seen.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private boolean isMarked(ProcessHandle process) {
    Path environment = Path.of("/proc", Long.toString(process.pid()), "environ");
    try {
      return new String(Files.readAllBytes(environment), StandardCharsets.ISO_8859_1)
          .contains(VARIABLE + "=" + mark);
    } catch (IOException e) {
      // It has ended, is another user's, or the system has no such file.
      return false;
    }
  }
}
