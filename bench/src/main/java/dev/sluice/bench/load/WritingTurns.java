package dev.sluice.bench.load;

import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs several writers of the same rows by turns. Used by one thread. */
public final class WritingTurns {
  private final ServerPair servers;
  private final CsvRows table;
  private final int rows;
  private final int runs;
  private final PrintStream out;

  /**
   * @param runs of each writer
   */
  public WritingTurns(ServerPair servers, CsvRows table, int rows, int runs, PrintStream out) {
    this.servers = servers;
    this.table = table;
    this.rows = rows;
    this.runs = runs;
    this.out = out;
  }

  /**
   * Lets each write into a table of its own, {@code runs} times.
   *
   * @throws IllegalStateException where the table does not have all rows after it
   */
  public List<Result> run(List<LoadMethod> writers) throws Exception {
    Path folder = Files.createDirectory(servers.newFolder("csv").resolve("files"));
    Path csv = folder.resolve(table.table() + ".csv");
    table.write(csv, rows);
    print("%,d rows of %s, %.1f MB as CSV", rows, table.table(), Files.size(csv) / 1e6);
    List<Result> results = new ArrayList<>();
    writers.forEach(writer -> results.add(new Result(writer.name(), new ArrayList<>())));
    for (int run = 1; run <= runs; run++) {
      for (int i = 0; i < writers.size(); i++) {
        Measurement measurement = measure(writers.get(i), csv);
        results.get(i).runs().add(measurement);
        print(
            "run %d: %s: %,.0f rows/s, %.1f s, %.1f CPU s, the target's %.1f",
            run,
            writers.get(i).name(),
            measurement.changesPerSecond(),
            measurement.wall().toMillis() / 1e3,
            measurement.cpuSeconds(),
            measurement.targetCpuSeconds());
      }
    }
    Files.delete(csv);
    return results;
  }

  private Measurement measure(LoadMethod writer, Path csv) throws Exception {
    Database target = ServerPair.create(servers.target("writing"));
    target.execute(table.createTable());
    target.execute("CHECKPOINT");
    int share = writer.share(rows);
    double targetCpu = servers.targetCpu();
    double ownCpu = CpuTime.ofThisProcess();
    long start = System.nanoTime();
    writer.write(target, table, csv, share);
    Duration wall = Duration.ofNanos(System.nanoTime() - start);
    double targetSeconds = servers.targetCpu() - targetCpu;
    double seconds = targetSeconds + CpuTime.ofThisProcess() - ownCpu;
    requireRows(writer, target, share);
    ServerPair.drop(target);
    return new Measurement(share, wall, seconds, targetSeconds);
  }

  private void requireRows(LoadMethod writer, Database target, int expected) throws Exception {
    try (Connection connection = target.connect()) {
      long met =
          Long.parseLong(
              Database.single(connection, "SELECT count(*) FROM public." + table.table()));
      if (met != expected) {
        throw new IllegalStateException(
            "%s has left %,d rows of %,d".formatted(writer.name(), met, expected));
      }
    }
  }

  private void print(String format, Object... values) throws IOException {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
