package dev.sluice.bench;

import dev.sluice.bench.load.Accounts;
import dev.sluice.bench.load.LoadMethod;
import dev.sluice.bench.load.RatePlot;
import dev.sluice.bench.load.SluiceImport;
import dev.sluice.bench.load.WholeCopy;
import dev.sluice.bench.load.WritingTurns;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.ServerPair;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures {@code sluice import} of yb-voyager's table of accounts for several numbers of jobs and
 * batch sizes, compared with one COPY of the complete file.
 */
public final class ImportBenchmark implements Benchmark {
  private static final String NUMBERS = "[1-9][0-9]{0,6}(,[1-9][0-9]{0,6})*";

  public static void main(String... arguments) {
    Benchmark.main(new ImportBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/import: imports the nine-column accounts table from CSV with each number of jobs"
                + " and each batch size, and by one COPY, by turns")
        .withCount("rows", 5_000_000, "of the table")
        .with("jobs", "1,2,4", NUMBERS, "numbers of jobs (Import.ParallelJobs)")
        .with(
            "batches",
            "1000,5000,20000,50000,200000",
            NUMBERS,
            "rows of one batch (Import.BatchSize)")
        .withCount("runs", 3, "of each")
        .with("plot", "none", ".+", "the file that the plot is written to, or none");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    List<Integer> jobs = numbers(arguments.text("jobs"));
    List<Integer> batches = numbers(arguments.text("batches")).stream().sorted().toList();
    List<LoadMethod> writers = new ArrayList<>();
    writers.add(new WholeCopy());
    for (int job : jobs) {
      batches.forEach(batch -> writers.add(new SluiceImport(job, batch)));
    }
    int rows = arguments.count("rows");
    List<Result> results =
        new WritingTurns(servers, new Accounts(), rows, arguments.count("runs"), out).run(writers);
    out.println();
    out.println(
        Conditions.of(
            servers,
            "all of one JVM of " + Runtime.getRuntime().maxMemory() / (1024 * 1024) + " MB"));
    String title =
        String.format(Locale.ROOT, "accounts from CSV, %,d rows, nine columns, primary key", rows);
    out.println(title + ":\n");
    out.print(Result.table(results, results.get(0)));
    out.println("\nrows/s by jobs and batch size (medians):\n");
    Map<String, List<Double>> series = new LinkedHashMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      series.put(
          jobs.get(i) == 1 ? "1 job" : jobs.get(i) + " jobs",
          results.subList(1 + i * batches.size(), 1 + (i + 1) * batches.size()).stream()
              .map(Result::changesPerSecond)
              .toList());
    }
    out.print(grid(batches, series));
    if (!arguments.text("plot").equals("none")) {
      Path plot = Path.of(arguments.text("plot"));
      Files.writeString(
          plot,
          RatePlot.svg(
              "sluice import: " + title,
              batches,
              series,
              "one COPY",
              results.get(0).changesPerSecond()));
      out.println("\nplot: " + plot);
    }
  }

  private static String grid(List<Integer> batches, Map<String, List<Double>> series) {
    StringBuilder grid = new StringBuilder("| batch |");
    series.keySet().forEach(name -> grid.append(' ').append(name).append(" |"));
    grid.append("\n| --- |").append(" --- |".repeat(series.size())).append('\n');
    for (int i = 0; i < batches.size(); i++) {
      grid.append(String.format(Locale.ROOT, "| %,d |", batches.get(i)));
      for (List<Double> rates : series.values()) {
        grid.append(String.format(Locale.ROOT, " %,.0f |", rates.get(i)));
      }
      grid.append('\n');
    }
    return grid.toString();
  }

  private static List<Integer> numbers(String text) {
    return Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
  }
}
