package dev.sluice.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * CPU seconds of a process and everything it started, from the proc file system: what runs now, and
 * what has ended and been waited for.
 */
public final class CpuTime {
  /** Linux's USER_HZ, in which /proc counts. */
  private static final double TICKS = 100;

  private CpuTime() {}

  public static double ofTree(long pid) {
    double total = 0;
    Deque<ProcessHandle> open = new ArrayDeque<>();
    ProcessHandle.of(pid).ifPresent(open::add);
    while (!open.isEmpty()) {
      ProcessHandle process = open.poll();
      total += ticks(process.pid()) / TICKS;
      process.children().forEach(open::add);
    }
    return total;
  }

  /** This Java process alone. */
  public static double ofThisProcess() {
    return ticks(ProcessHandle.current().pid()) / TICKS;
  }

  /** Programs that this process has started, which have ended, with all that those started. */
  public static double ofEndedChildren() {
    try {
      String[] fields = fields(Path.of("/proc/self/stat"));
      return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / TICKS;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the time of ended processes", e);
    }
  }

  private static String[] fields(Path stat) throws IOException {
    String text = Files.readString(stat);
    return text.substring(text.lastIndexOf(')') + 2).split(" ");
  }

  private static long ticks(long pid) {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    try {
      String[] fields = fields(stat);
      long own = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
      boolean self = pid == ProcessHandle.current().pid();
      // Children of this process are servers that are counted by themselves.
      return self ? own : own + Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
    } catch (IOException e) {
      if (!Files.exists(stat)) {
        return 0;
      }
      throw new UncheckedIOException("cannot read " + stat, e);
    }
  }
}
