package dev.sluice.bench.stage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The processor time of a thread or a process, from the proc file system.
 *
 * @param name of a thread the operating system's, of a process its title
 */
record ProcessorTime(String name, double seconds) {
  /** Linux's USER_HZ, in which /proc counts. */
  private static final double TICKS = 100;

  private static final Path PROC = Path.of("/proc");

  /** A whole process with the threads that have ended, without its children. */
  static double of(long process) {
    return read(PROC.resolve(Long.toString(process)), false).seconds();
  }

  /** The living threads of a process. */
  static List<ProcessorTime> ofThreads(long process) {
    List<ProcessorTime> threads = new ArrayList<>();
    Path folder = PROC.resolve(Long.toString(process)).resolve("task");
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(folder)) {
      tasks.forEach(task -> threads.add(read(task, false)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder, e);
    }
    return threads;
  }

  /** A PostgreSQL server: each process of its own, the first with all that have ended. */
  static List<ProcessorTime> ofServer(long postmaster) {
    List<ProcessorTime> processes = new ArrayList<>();
    processes.add(read(PROC.resolve(Long.toString(postmaster)), true));
    ProcessHandle.of(postmaster).stream()
        .flatMap(ProcessHandle::children)
        .map(child -> PROC.resolve(Long.toString(child.pid())))
        .forEach(
            folder ->
                processes.add(new ProcessorTime(title(folder), read(folder, true).seconds())));
    return processes;
  }

  private static ProcessorTime read(Path folder, boolean withChildren) {
    try {
      String text = Files.readString(folder.resolve("stat"));
      String name = text.substring(text.indexOf('(') + 1, text.lastIndexOf(')'));
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
      long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
      if (withChildren) {
        ticks += Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
      }
      return new ProcessorTime(name, ticks / TICKS);
    } catch (NoSuchFileException ended) {
      return new ProcessorTime("", 0);
    } catch (IOException e) {
      if (!Files.exists(folder)) {
        return new ProcessorTime("", 0);
      }
      throw new UncheckedIOException("cannot read " + folder, e);
    }
  }

  private static String title(Path folder) {
    try {
      return new String(Files.readAllBytes(folder.resolve("cmdline")), StandardCharsets.UTF_8)
          .replace('\0', ' ')
          .strip();
    } catch (IOException ended) {
      return "";
    }
  }
}
