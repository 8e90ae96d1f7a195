package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The peer of PostgreSQL's own programs, from the path: {@code pg_dump} into a directory without
 * compression, then {@code pg_restore}, which creates keys and indexes after the rows.
 */
public final class DumpAndRestore {
  private static final Pattern MAJOR = Pattern.compile("\\) ([0-9]+)");

  private DumpAndRestore() {}

  /**
   * @param serverMajor of both servers; an older program refuses them
   * @return why they cannot be measured; empty where they can
   */
  public static Optional<String> obstacle(int serverMajor) throws InterruptedException {
    Optional<Integer> dump = Program.version("pg_dump", MAJOR);
    if (dump.isEmpty() || Program.version("pg_restore", MAJOR).isEmpty()) {
      return Optional.of("they are not installed");
    }
    return dump.get() < serverMajor
        ? Optional.of("they are of %d, the servers %d".formatted(dump.get(), serverMajor))
        : Optional.empty();
  }

  /**
   * Copies everything into the empty database.
   *
   * @param folder a new one for the dump
   * @param jobs of each program
   */
  public static void copy(Database source, Database target, Path folder, int jobs)
      throws IOException, InterruptedException {
    String dump = folder.resolve("dump").toString();
    List<String> dumping = program("pg_dump", source, jobs);
    dumping.addAll(List.of("-Fd", "-Z0", "-f", dump));
    Program.run(dumping);
    List<String> restoring = program("pg_restore", target, jobs);
    restoring.add(dump);
    Program.run(restoring);
  }

  private static List<String> program(String name, Database database, int jobs) {
    return new ArrayList<>(
        List.of(
            name,
            "-h",
            "127.0.0.1",
            "-p",
            Integer.toString(database.port()),
            "-U",
            Database.USER,
            "-d",
            database.name(),
            "-j",
            Integer.toString(jobs)));
  }
}
