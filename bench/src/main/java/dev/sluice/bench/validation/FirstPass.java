package dev.sluice.bench.validation;

import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import java.io.OutputStream;
import java.io.PrintStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.postgresql.PGConnection;

/**
 * One pass over a table that nobody writes, by turns: Sluice, COPY of both sides into a digest
 * (what reading costs at least), and DMS's way: rows of both sides fetched in parts of
 * PartitionSize by ThreadCount threads, and compared in the engine. Single use.
 */
record FirstPass(int rows, int runs) {
  /** DMS's defaults. */
  private static final int PARTITION_SIZE = 10_000;

  private static final int THREADS = 5;

  private record Run(double seconds, double cpu) {}

  private interface Pass {
    void run() throws Exception;
  }

  void run(ServerPair servers, PrintStream out) throws Exception {
    try (SluiceTask task =
        new SluiceTask(
            servers,
            "pass",
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ValidationSettings:"
                + " {ThreadCount: 5}}")) {
      BigTable.create(task.source(), rows);
      task.start();
      task.awaitApplied();
      task.target().execute("VACUUM ANALYZE " + BigTable.NAME);
      List<Run> sluice = new ArrayList<>();
      List<Run> copies = new ArrayList<>();
      List<Run> fetched = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        sluice.add(
            measure(
                task,
                () -> {
                  if (task.command("validate") != 0) {
                    throw new IllegalStateException("not proven equal: " + task.printed());
                  }
                }));
        copies.add(measure(task, () -> copyBoth(task)));
        fetched.add(measure(task, () -> fetchBoth(task)));
      }
      out.printf("%n| one pass of %,d rows | s (min – max) | rows/s | CPU s | runs |%n", rows);
      out.println("| --- | --- | --- | --- | --- |");
      out.println(line("Sluice, `sluice validate`", sluice));
      out.println(line("COPY of both sides into MD5", copies));
      out.println(line("rows fetched and compared, as DMS does", fetched));
    }
  }

  private static Run measure(SluiceTask task, Pass pass) throws Exception {
    double cpu = task.cpu().all() + CpuTime.ofThisProcess();
    long begun = System.nanoTime();
    pass.run();
    double seconds = (System.nanoTime() - begun) / 1e9;
    return new Run(seconds, task.cpu().all() + CpuTime.ofThisProcess() - cpu);
  }

  private String line(String name, List<Run> of) {
    MedianSpread seconds = MedianSpread.of(of, Run::seconds);
    return String.format(
        Locale.ROOT,
        "| %s | %.2f (%.2f – %.2f) | %,.0f | %.2f | %d |",
        name,
        seconds.median(),
        seconds.least(),
        seconds.most(),
        rows / seconds.median(),
        MedianSpread.of(of, Run::cpu).median(),
        of.size());
  }

  private static void copyBoth(SluiceTask task) throws Exception {
    List<byte[]> digests =
        together(2, List.of(() -> digest(task.source()), () -> digest(task.target())));
    if (!MessageDigest.isEqual(digests.get(0), digests.get(1))) {
      throw new IllegalStateException("the sides differ, or have another order");
    }
  }

  private static byte[] digest(Database database) throws Exception {
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    try (Connection connection = database.connect();
        OutputStream output = new DigestOutputStream(OutputStream.nullOutputStream(), md5)) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyOut("COPY (SELECT * FROM " + BigTable.NAME + " ORDER BY id) TO STDOUT", output);
    }
    return md5.digest();
  }

  private void fetchBoth(SluiceTask task) throws Exception {
    List<Callable<Boolean>> parts = new ArrayList<>();
    for (int from = 1; from <= rows; from += PARTITION_SIZE) {
      int first = from;
      parts.add(() -> fetch(task.source(), first).equals(fetch(task.target(), first)));
    }
    if (together(THREADS, parts).contains(false)) {
      throw new IllegalStateException("the sides differ");
    }
  }

  private static List<List<String>> fetch(Database database, int from) throws SQLException {
    List<List<String>> fetched = new ArrayList<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT * FROM %s WHERE id >= %d AND id < %d ORDER BY id"
                    .formatted(BigTable.NAME, from, from + PARTITION_SIZE))) {
      int columns = row.getMetaData().getColumnCount();
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          values.add(Objects.toString(row.getString(column)));
        }
        fetched.add(values);
      }
    }
    return fetched;
  }

  private static <T> List<T> together(int threads, List<Callable<T>> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : pool.invokeAll(work)) {
        results.add(each.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }
}
