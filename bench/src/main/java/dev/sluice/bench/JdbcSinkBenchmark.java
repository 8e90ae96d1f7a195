package dev.sluice.bench;

import dev.sluice.bench.peer.JdbcSink;
import dev.sluice.bench.peer.SluiceApply;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.run.Turns;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Shape;
import dev.sluice.bench.workload.Shapes;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares Sluice's sink, reading a filled journal, with Debezium's JDBC sink, which gets the same
 * changes from memory.
 */
public final class JdbcSinkBenchmark implements Benchmark {

  public static void main(String... arguments) {
    Benchmark.main(new JdbcSinkBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    String names = shapes(1).map(Shape::name).collect(Collectors.joining("|"));
    return new Arguments(
            "bench/jdbc-sink: applies the same changes with Debezium's JDBC sink, UNNEST (or the"
                + " bulk protocol of MariaDB's driver) off and on, and with Sluice's sink out of a"
                + " filled journal, by turns")
        .with("target", "postgresql", "postgresql|mariadb", "postgresql or mariadb")
        .with("shape", "tpcb", names, "one of " + names)
        .withNumber(
            "size", "0.2", "of the backlog, kept in memory; 1 is 2,000,000 changes of TPC-B")
        .withCount("batch", 50_000, "batch.size of the peer, rows of one table")
        .withCount("poll", 50_000, "records that the peer is given at once")
        .withCount("runs", 3, "of each contender")
        .withCount("limit", 1200, "the most that one run may take, in seconds");
  }

  @Override
  public ServerPair servers(Arguments arguments) throws IOException {
    return ServerPair.start(PostgresVersion.NEWEST, Database.Kind.of(arguments.text("target")));
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    Shape shape =
        shapes(arguments.number("size"))
            .filter(one -> one.name().equals(arguments.text("shape")))
            .findFirst()
            .orElseThrow();
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    int batch = arguments.count("batch");
    int poll = arguments.count("poll");
    out.println(shape.title());
    try (EmbeddedBroker broker = EmbeddedBroker.start(servers.newFolder("kafka"))) {
      JdbcSink.Records records = new JdbcSink.Records();
      List<Contender> contenders =
          List.of(
              new JdbcSink(servers, records, false, batch, poll, limit),
              new JdbcSink(servers, records, true, batch, poll, limit),
              new SluiceApply(servers, broker, true, 1, limit, out));
      List<Result> results =
          new Turns(servers, new Backlog(shape), arguments.count("runs"), out).run(contenders);
      out.println();
      out.println(
          Conditions.of(
              servers,
              "Debezium's JDBC sink "
                  + JdbcSink.version()
                  + " (upsert, reduction buffer, batch.size "
                  + batch
                  + ", polls of "
                  + poll
                  + " records out of memory), Sluice with DMS's default settings, one JVM of "
                  + Runtime.getRuntime().maxMemory() / (1024 * 1024)
                  + " MB"));
      out.println(shape.title() + ":\n");
      out.print(Result.table(results, faster(results.get(0), results.get(1))));
    }
  }

  private static Result faster(Result one, Result other) {
    return one.changesPerSecond() >= other.changesPerSecond() ? one : other;
  }

  /** The peer upserts by key, so every table needs one. */
  private static Stream<Shape> shapes(double size) {
    return Stream.concat(
        Stream.of(Shapes.tpcb(size, true)),
        Shapes.all(size).stream().filter(shape -> !shape.name().equals("tpcb")));
  }
}
