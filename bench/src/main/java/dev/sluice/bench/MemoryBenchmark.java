package dev.sluice.bench;

import dev.sluice.bench.peer.DaemonWatch;
import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.HugeTransaction;
import dev.sluice.bench.workload.Tpcb;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Measures the daemon's peak memory in a small heap, for one huge transaction and for a long
 * backlog. At most it is the heap and what is outside of it. What the daemon holds in the heap is
 * limited by MemoryLimitTotal + 2 × BatchApplyMemoryLimit, both as they are in effect.
 */
public final class MemoryBenchmark implements Benchmark {
  private static final Duration START_LIMIT = Duration.ofMinutes(10);

  /** What docs/operate/sizing.md says of a daemon with its broker. */
  private static final long OUTSIDE_OF_HEAP = 220L << 20;

  public static void main(String... arguments) {
    Benchmark.main(new MemoryBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/memory: the daemon's peak memory for one huge transaction and for a long"
                + " backlog")
        .withCount("rows", 5_000_000, "of the huge transaction")
        .withNumber("minutes", "2", "of the backlog; an hour is 60")
        .withCount("rate", 2000, "transactions per second of the backlog, four changes each")
        .withCount("scale", 20, "pgbench's scale of the backlog")
        .withNumber("idle", "20", "seconds that the idle daemon is watched")
        .withCount("heap", 512, "the daemon's -Xmx, in megabytes")
        .withCount("memory", 64, "MemoryLimitTotal, in megabytes")
        .withCount("limit", 3600, "the most that one backlog may take, in seconds");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    String settings =
        "{ChangeProcessingTuning: {MemoryLimitTotal: " + arguments.count("memory") + "}}";
    String heap = "-Xmx" + arguments.count("heap") + "m";
    long transactions =
        Math.max(1, Math.round(arguments.number("minutes") * 60 * arguments.count("rate")));
    Backlog huge = new Backlog(new HugeTransaction(arguments.count("rows")));
    Backlog backlog = new Backlog(new Tpcb(arguments.count("scale"), transactions, false));
    Case first = new Case("huge", servers, servers.newFolder("huge"), settings, heap, out);
    Two two =
        first.follow(huge, Duration.ofMillis(Math.round(arguments.number("idle") * 1000)), limit);
    DaemonWatch.Peaks many =
        new Case("backlog", servers, servers.newFolder("backlog"), settings, heap, out)
            .drain(backlog, limit);
    out.println();
    out.println(
        Conditions.of(
            servers,
            "the daemon with its broker in one process, "
                + heap
                + ", MemoryLimitTotal "
                + arguments.count("memory")));
    out.println(
        "\n| what | peak RSS MB (VmHWM) | at most MB: heap + outside | limits MB |"
            + " most held MB | heap MB after a collection, most | swap MB, most |\n"
            + "| --- | --- | --- | --- | --- | --- | --- |");
    long most = ((long) arguments.count("heap") << 20) + OUTSIDE_OF_HEAP;
    out.println(row("idle", two.idle(), most));
    out.println(row(huge.shape().title(), two.busy(), most));
    out.println(
        row(
            backlog.shape().title()
                + String.format(
                    Locale.ROOT,
                    " (%s minutes of %,d/s)",
                    arguments.text("minutes"),
                    arguments.count("rate")),
            many,
            most));
  }

  private static String row(String name, DaemonWatch.Peaks peaks, long most) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %s | %s | %s |",
        name,
        megabytes(peaks.resident()),
        megabytes(most),
        megabytes(peaks.limit()),
        megabytes(peaks.held()),
        megabytes(peaks.heap()),
        megabytes(peaks.swap()));
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%,d", Math.round(bytes / 1048576.0));
  }

  /** The peaks of one daemon while idle, and under load. */
  private record Two(DaemonWatch.Peaks idle, DaemonWatch.Peaks busy) {}

  /** One daemon on databases of its own. */
  private record Case(
      String name, ServerPair servers, Path folder, String settings, String heap, PrintStream out) {

    /** Measures a daemon that is idle first and then replicates a backlog while it is written. */
    Two follow(Backlog backlog, Duration idle, Duration limit) throws Exception {
      Database source = create(backlog);
      Two two;
      try (SluiceDaemon daemon = start(source)) {
        DaemonWatch watch = new DaemonWatch(daemon, collections());
        daemon.awaitReplicating(START_LIMIT);
        Thread.sleep(idle.toMillis());
        watch.poll();
        DaemonWatch.Peaks before = watch.peaks();
        out.println("idle daemon: peak RSS " + megabytes(before.resident()) + " MB");
        backlog.write(source);
        two = new Two(before, await(backlog, daemon, watch, limit));
      }
      finish(backlog, source, two.busy());
      return two;
    }

    /** Measures a daemon with a backlog in the source's log at its start. */
    DaemonWatch.Peaks drain(Backlog backlog, Duration limit) throws Exception {
      Database source = create(backlog);
      backlog.write(source);
      DaemonWatch.Peaks peaks;
      try (SluiceDaemon daemon = start(source)) {
        peaks = await(backlog, daemon, new DaemonWatch(daemon, collections()), limit);
      }
      finish(backlog, source, peaks);
      return peaks;
    }

    private DaemonWatch.Peaks await(
        Backlog backlog, SluiceDaemon daemon, DaemonWatch watch, Duration limit) throws Exception {
      out.println(backlog.shape().title() + ": written");
      long start = System.nanoTime();
      try (Connection connection = target().connect()) {
        daemon.await(
            "the end of the backlog to be on the target",
            limit,
            () -> {
              watch.poll();
              return Backlog.hasArrived(connection);
            });
      }
      out.println(
          String.format(
              Locale.ROOT,
              "%s: applied after %.1f s",
              backlog.shape().title(),
              (System.nanoTime() - start) / 1e9));
      return watch.peaks();
    }

    private void finish(Backlog backlog, Database source, DaemonWatch.Peaks peaks)
        throws SQLException, InterruptedException {
      Digest.requireEqual("Sluice", source, target(), backlog.shape().tables());
      out.println(
          backlog.shape().title()
              + ": tables equal; peak RSS "
              + megabytes(peaks.resident())
              + " MB");
      ServerPair.dropSlot(source, name);
      ServerPair.drop(source);
      ServerPair.drop(target());
    }

    private Database create(Backlog backlog) throws SQLException {
      Database source = ServerPair.create(servers.source("source_" + name));
      backlog.createTables(source);
      backlog.publish(source);
      ServerPair.createSlot(source, name);
      backlog.createTables(ServerPair.create(target()));
      return source;
    }

    private SluiceDaemon start(Database source) throws Exception {
      return SluiceDaemon.start(
          folder,
          new SluiceDaemon.Task(
              name,
              source,
              target(),
              name,
              Backlog.PUBLICATION,
              List.of("%"),
              settings,
              List.of(heap, DaemonWatch.javaOption(collections()))));
    }

    private Database target() {
      return servers.target("target_" + name);
    }

    private Path collections() {
      return folder.resolve("collections.log");
    }
  }
}
