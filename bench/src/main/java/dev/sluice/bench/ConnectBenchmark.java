package dev.sluice.bench;

import dev.sluice.bench.connect.ConnectBench;
import dev.sluice.bench.connect.ConnectSink;
import dev.sluice.bench.connect.RecordConverter;
import dev.sluice.bench.connect.SinkKind;
import dev.sluice.bench.connect.SourceTopics;
import dev.sluice.bench.connect.TargetFaults;
import dev.sluice.bench.peer.JdbcSink;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.run.Turns;
import dev.sluice.bench.server.Servers;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Shapes;
import dev.sluice.bench.workload.Tpcb;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/**
 * Compares Debezium's JDBC sink and Sluice's in one Kafka Connect worker, a separate process, on
 * the same topics: their speed, and the errors that each leaves on the target.
 */
public final class ConnectBenchmark implements Benchmark {

  public static void main(String... arguments) {
    Benchmark.main(new ConnectBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/connect: Debezium's JDBC sink, UNNEST off and on, and Sluice's sink in one"
                + " worker of Kafka Connect on the topics of Debezium's PostgreSQL connector, by"
                + " turns; then what each leaves wrong")
        .withNumber("size", "0.2", "of the backlog; 1 is 2,000,000 changes of TPC-B")
        .withCount("poll", 10_000, "records handed to a sink at once; also the peer's batch.size")
        .withCount("heap", 2048, "of the worker, in megabytes")
        .withCount("runs", 3, "of each contender")
        .withCount("limit", 1200, "the most that one run may take, in seconds");
  }

  @Override
  public void run(Arguments arguments, Servers servers, PrintStream out) throws Exception {
    Tpcb shape = Shapes.tpcb(arguments.number("size"), true);
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    int poll = arguments.count("poll");
    int heap = arguments.count("heap");
    out.println(shape.title());
    try (ConnectBench bench = ConnectBench.start(servers, heap)) {
      Backlog backlog = new Backlog(shape);
      SourceTopics byTable =
          SourceTopics.byTable(bench, "by_table", backlog.tables(), RecordConverter.JSON);
      SourceTopics ordered =
          SourceTopics.ordered(bench, "ordered", backlog.tables(), RecordConverter.JSON);
      List<Contender> contenders =
          List.of(
              new ConnectSink(bench, byTable, SinkKind.jdbc(false), poll, limit),
              new ConnectSink(bench, byTable, SinkKind.jdbc(true), poll, limit),
              new ConnectSink(bench, byTable, SinkKind.sluiceTables(1), poll, limit),
              new ConnectSink(
                  bench, byTable, SinkKind.sluice("tables-with-transactions"), poll, limit),
              new ConnectSink(bench, ordered, SinkKind.sluice("ordered"), poll, limit));
      List<Result> results =
          new Turns(servers, backlog, arguments.count("runs"), out).run(contenders);
      String faults =
          new TargetFaults(bench, servers, limit)
              .table(List.of(SinkKind.jdbc(false), SinkKind.sluice("tables-with-transactions")));
      out.println();
      out.println(
          Conditions.of(
              servers,
              "one worker of Kafka Connect with a heap of "
                  + heap
                  + " MB, JSON with schemas, polls of "
                  + poll
                  + " records, topics of one partition, Debezium's JDBC sink "
                  + JdbcSink.version()
                  + " (upsert, reduction buffer, truncate.enabled), Sluice with DMS's default"
                  + " settings"));
      out.println(shape.title() + ":\n");
      out.print(Result.table(results, faster(results.get(0), results.get(1))));
      out.println("\nWhat is on the target after:\n");
      out.print(faults);
    }
  }

  private static Result faster(Result one, Result other) {
    return one.changesPerSecond() >= other.changesPerSecond() ? one : other;
  }
}
