package dev.sluice.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU seconds of a process and everything it started, from the proc file system: what runs now, and
 * what has ended and been waited for.
 */
public final class CpuTime {
  /** Linux's USER_HZ, in which /proc counts. */
  private static final double TICKS = 100;

  private CpuTime() {}

  /**
   * Reads the sum; again if a process ends meanwhile, since its time then moves to its parent. So
   * none is lost or counted twice.
   */
  public static double ofTree(long pid) {
    List<Long> tree = tree(pid);
    while (true) {
      double total = tree.stream().mapToLong(CpuTime::ticks).sum() / TICKS;
      List<Long> after = tree(pid);
      if (after.equals(tree)) {
        return total;
      }
      tree = after;
    }
  }

  private static List<Long> tree(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
        .map(ProcessHandle::pid)
        .sorted()
        .toList();
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
