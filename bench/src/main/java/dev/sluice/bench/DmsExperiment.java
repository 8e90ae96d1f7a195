package dev.sluice.bench;

import dev.sluice.bench.dms.DmsOutcome;
import dev.sluice.bench.dms.DmsTest;
import dev.sluice.bench.dms.DmsTestRun;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Tpcc;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Repeats the experiment of an article on tuning AWS DMS: nine tables like TPC-C, changed by 1,
 * then 10, then 25 connections. They are replicated with default settings, with two tuned settings,
 * and split over three tasks. It measures source and target latency and throughput like the
 * article, and whether the target's lag grows without end.
 */
public final class DmsExperiment implements Benchmark {
  public static void main(String... arguments) {
    Benchmark.main(new DmsExperiment(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/dms-experiment: nine tables of a TPC-C kind, 1, 10 and 25 connections, four sets"
                + " of DMS settings; latency and throughput")
        .with(
            "tests",
            "default,sample,continuous,split,auto",
            "(default|sample|continuous|split|auto)(,(default|sample|continuous|split|auto))*",
            "some of default,sample,continuous,split,auto")
        .withNumber("seconds", "40", "that each number of connections works; the article's 600")
        .withNumber("pause", "5", "seconds between them; the article's 240")
        .with(
            "rate",
            "0",
            "[0-9]{1,6}",
            "transactions per second of each connection; 0 is all it can")
        .withCount("warehouses", 10, "of 10 districts, 3,000 customers and 10,000 items in stock")
        .withCount("heap", 2048, "of all daemons of a test together, in megabytes")
        .withCount("limit", 900, "the most that a test's backlog may take to drain, in seconds");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    List<String> chosen = List.of(arguments.text("tests").split(","));
    int warehouses = arguments.count("warehouses");
    List<DmsOutcome> outcomes = new ArrayList<>();
    Tpcc.createTables(ServerPair.create(servers.source("tpcc")), warehouses);
    Tpcc.createWorkload(servers.source("tpcc"), warehouses);
    Tpcc.createTables(ServerPair.create(servers.target("tpcc")), warehouses);
    for (DmsTest test : DmsTest.ALL) {
      if (chosen.contains(test.name())) {
        outcomes.add(new DmsTestRun(test, servers, arguments, out).run());
      }
    }
    out.println();
    out.println(
        Conditions.of(
            servers,
            String.format(
                Locale.ROOT,
                "%d warehouses, 1, 10 and 25 connections for %s s each at %s, %s s between,"
                    + " daemons with %,d MB of heap in all",
                warehouses,
                arguments.text("seconds"),
                arguments.count("rate") == 0
                    ? "full speed"
                    : arguments.count("rate") + " transactions/s each",
                arguments.text("pause"),
                arguments.count("heap"))));
    out.println(
        "\n"
            + "| Test | Source latency (s, most) | Target latency (s, most) | Source throughput"
            + " (rows/s, most in 10 s) | Target throughput (rows/s, most in 10 s) |\n"
            + "| --- | --- | --- | --- | --- |");
    outcomes.forEach(outcome -> out.println(outcome.row()));
    out.println(
        "\n| Test | connections | ran s | transactions/s | changes captured | target latency most s"
            + " | at the end s | grows s/s |\n| --- | --- | --- | --- | --- | --- | --- | --- |");
    outcomes.forEach(
        outcome -> outcome.phases().forEach(phase -> out.println(phase.row(outcome.test()))));
    out.println(
        "\n| Test | target latency median s | 95 % | CPU s daemons | CPU s target | both per million"
            + " changes |\n| --- | --- | --- | --- | --- | --- |");
    outcomes.forEach(outcome -> out.println(outcome.cost()));
    out.println();
    outcomes.forEach(outcome -> out.println(outcome.verdict()));
  }
}
