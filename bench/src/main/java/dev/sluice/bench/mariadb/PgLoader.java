package dev.sluice.bench.mariadb;

import dev.sluice.bench.peer.Program;
import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code pgloader}: makes and loads the tables of a MySQL or MariaDB database, and their indexes
 * after the rows. The one on the path is taken, where there is one.
 */
public final class PgLoader {
  private static final Pattern VERSION = Pattern.compile("version \"?([0-9]+)");

  private PgLoader() {}

  /** Why it cannot be measured; empty where it can. */
  public static Optional<String> obstacle() throws InterruptedException {
    return Program.version("pgloader", VERSION).isEmpty()
        ? Optional.of("it is not installed")
        : Optional.empty();
  }

  /** Copies everything into the empty database. */
  public static void copy(EmbeddedServer source, String database, Database target)
      throws IOException, InterruptedException {
    String printed =
        Program.run(
            List.of(
                "pgloader",
                "mysql://%s:%s@127.0.0.1:%d/%s"
                    .formatted(MariadbTask.USER, MariadbTask.PASSWORD, source.port(), database),
                "postgresql://%s@127.0.0.1:%d/%s"
                    .formatted(Database.USER, target.port(), target.name())));
    if (printed.contains("ERROR") || printed.contains("FATAL")) {
      throw new IOException("pgloader: " + printed);
    }
  }
}
