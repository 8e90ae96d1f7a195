package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.workload.TableOnMariadb;
import java.io.IOException;
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
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyOut;

/**
 * The peer {@code psql COPY TO | psql COPY FROM}, binary, with several parallel pipes that each
 * copy an equal number of the table's pages. It keeps no progress and does not parse messages. Into
 * MariaDB a pipe is COPY of texts into LOAD DATA LOCAL, straight into the table.
 */
public final class CopyPipes {
  private static final String ALL = "true";

  private CopyPipes() {}

  /** Copies complete tables, one after the other, each with all pipes. */
  public static void copy(Database source, Database target, List<String> tables, int pipes)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(pipes);
    try {
      List<Callable<Void>> all = new ArrayList<>();
      for (String table : tables) {
        for (String condition : parts(source, table, pipes)) {
          all.add(
              () -> {
                pipe(source, target, table, condition);
                return null;
              });
        }
      }
      for (Future<Void> ended : threads.invokeAll(all)) {
        ended.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Conditions of the rows of each pipe. */
  private static List<String> parts(Database source, String table, int pipes) throws SQLException {
    if (pipes == 1) {
      return List.of(ALL);
    }
    try (Connection connection = source.connect()) {
      long pages =
          Long.parseLong(
              Database.single(connection, "SELECT pg_relation_size('" + table + "') / 8192"));
      List<String> parts = new ArrayList<>();
      for (int pipe = 0; pipe < pipes; pipe++) {
        parts.add(
            "ctid >= '(%d,0)' AND ctid < '(%d,0)'"
                .formatted(pages * pipe / pipes, pages * (pipe + 1) / pipes));
      }
      return parts;
    }
  }

  private static void pipe(Database source, Database target, String table, String condition)
      throws SQLException, IOException {
    try (Connection from = source.connect();
        Connection to = target.connect()) {
      if (target.isMariadb()) {
        TableOnMariadb.of(from, table).copy(from, to, condition);
        return;
      }
      to.setAutoCommit(false);
      try (Statement settings = to.createStatement()) {
        settings.execute("SET jit = off");
      }
      String rows =
          condition.equals(ALL) ? table : "(SELECT * FROM " + table + " WHERE " + condition + ")";
      CopyOut out =
          from.unwrap(PGConnection.class)
              .getCopyAPI()
              .copyOut("COPY " + rows + " TO STDOUT WITH (FORMAT binary)");
      CopyIn in =
          to.unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY " + table + " FROM STDIN WITH (FORMAT binary)");
      for (byte[] message = out.readFromCopy(); message != null; message = out.readFromCopy()) {
        in.writeToCopy(message, 0, message.length);
      }
      in.endCopy();
      to.commit();
    }
  }
}
