package dev.sluice.bench.mariadb;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.postgresql.PGConnection;

/**
 * The peer that somebody writes by hand: a file of each table by {@code SELECT … INTO OUTFILE}, as
 * {@code mariadb-dump --tab} writes it, then COPY of the file, key and index. All tables at once.
 * It knows their columns, takes no snapshot of several tables, and converts no value.
 */
final class DumpedFiles {
  private DumpedFiles() {}

  /**
   * Copies tables of {@link WrittenRows} into the empty database.
   *
   * @param folder for the files, which the server of the source writes
   */
  static void copy(EmbeddedServer source, WrittenRows rows, Database target, Path folder)
      throws Exception {
    // The server may run as another user.
    Path open = Files.createDirectories(folder);
    if (!open.toFile().setWritable(true, false)) {
      throw new IOException(open + " cannot be made writable");
    }
    try (Connection connection = target.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA " + rows.database());
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Callable<Void>> all = new ArrayList<>();
      for (String table : rows.names()) {
        all.add(
            () -> {
              copy(source, rows.database(), table, target, open.resolve(table + ".txt"));
              return null;
            });
      }
      for (Future<Void> ended : threads.invokeAll(all)) {
        ended.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void copy(
      EmbeddedServer source, String database, String table, Database target, Path file)
      throws SQLException, IOException {
    try (Connection from = source.connect(database);
        Statement dump = from.createStatement()) {
      dump.execute("SELECT id, k, c, pad FROM %s INTO OUTFILE '%s'".formatted(table, file));
    }
    String name = database + "." + table;
    try (Connection to = target.connect();
        Statement statement = to.createStatement();
        InputStream content = Files.newInputStream(file)) {
      statement.execute(
          "CREATE TABLE %s (id integer NOT NULL, k integer NOT NULL, c varchar(120) NOT NULL, pad varchar(60) NOT NULL)"
              .formatted(name));
      to.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY " + name + " FROM STDIN", content);
      statement.execute("ALTER TABLE %s ADD PRIMARY KEY (id)".formatted(name));
      statement.execute("CREATE INDEX ON %s (k)".formatted(name));
    }
    Files.delete(file);
  }
}
