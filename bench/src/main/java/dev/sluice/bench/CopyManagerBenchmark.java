package dev.sluice.bench;

import dev.sluice.bench.load.LoadMethod;
import dev.sluice.bench.load.Persons;
import dev.sluice.bench.load.RowByRow;
import dev.sluice.bench.load.SluiceImport;
import dev.sluice.bench.load.WholeCopy;
import dev.sluice.bench.load.WritingTurns;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.ServerPair;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Compares inserts row by row, JDBC batches and COPY with Sluice's import. */
public final class CopyManagerBenchmark implements Benchmark {
  private static final int BATCH = 20_000;

  public static void main(String... arguments) {
    Benchmark.main(new CopyManagerBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/copy-manager: writes the same rows one by one, in JDBC batches, by CopyManager"
                + " and with sluice import, by turns")
        .withCount("rows", 1_000_000, "that each writes")
        .withCount("single", 100_000, "rows that are written one by one, at the most")
        .with(
            "batches",
            "25000,30000,50000",
            "[1-9][0-9]{0,6}(,[1-9][0-9]{0,6})*",
            "rows of a JDBC batch")
        .withCount("runs", 3, "of each");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    int rows = arguments.count("rows");
    List<LoadMethod> writers = new ArrayList<>();
    writers.add(new RowByRow(1, false, arguments.count("single")));
    for (boolean rewritten : List.of(false, true)) {
      Arrays.stream(arguments.text("batches").split(","))
          .map(Integer::valueOf)
          .forEach(batch -> writers.add(new RowByRow(batch, rewritten, rows)));
    }
    WholeCopy copy = new WholeCopy();
    writers.add(copy);
    writers.add(new SluiceImport(1, BATCH));
    writers.add(new SluiceImport(2, BATCH));
    List<Result> results =
        new WritingTurns(servers, new Persons(), rows, arguments.count("runs"), out).run(writers);
    out.println();
    out.println(
        Conditions.of(
            servers,
            "all of one JVM of " + Runtime.getRuntime().maxMemory() / (1024 * 1024) + " MB"));
    out.println(
        String.format(
            Locale.ROOT,
            "%,d rows of eight columns with a primary key; one by one %,d of them:%n",
            rows,
            writers.get(0).share(rows)));
    out.print(Result.table(results, results.get(writers.indexOf(copy))));
  }
}
