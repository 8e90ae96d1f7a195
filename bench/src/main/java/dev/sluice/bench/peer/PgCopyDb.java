package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code pgcopydb clone}: pg_dump for the definitions, tables by COPY beside each other, and a
 * table's indexes as soon as its rows are in. The one on the path is taken, where there is one.
 */
public final class PgCopyDb {
  /** Of the line {@code compatible with Postgres 10, 11, 12, 13, 14, and 15}. */
  private static final Pattern MAJOR =
      Pattern.compile("\\b(1[0-9]|[2-9][0-9])(?=,|$)", Pattern.MULTILINE);

  private PgCopyDb() {}

  /**
   * @param serverMajor of both servers
   * @return why it cannot be measured; empty where it can
   */
  public static Optional<String> obstacle(int serverMajor) throws InterruptedException {
    Optional<Integer> newest = Program.version("pgcopydb", MAJOR);
    if (newest.isEmpty()) {
      return Optional.of("it is not installed");
    }
    return newest.get() < serverMajor
        ? Optional.of(
            "it is made for servers up to %d, these are %d".formatted(newest.get(), serverMajor))
        : Optional.empty();
  }

  /**
   * Copies everything into the empty database.
   *
   * @param folder a new one for its work directory
   * @param jobs that copy tables, and as many that make indexes
   */
  public static void copy(Database source, Database target, Path folder, int jobs)
      throws IOException, InterruptedException {
    Program.run(
        List.of(
            "pgcopydb",
            "clone",
            "--source",
            address(source),
            "--target",
            address(target),
            "--dir",
            folder.resolve("pgcopydb").toString(),
            "--table-jobs",
            Integer.toString(jobs),
            "--index-jobs",
            Integer.toString(jobs)));
  }

  private static String address(Database database) {
    return "postgresql://%s@127.0.0.1:%d/%s"
        .formatted(Database.USER, database.port(), database.name());
  }
}
