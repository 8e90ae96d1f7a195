package dev.sluice.bench;

import dev.sluice.bench.peer.DaemonWatch;
import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Servers;
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
 * How much memory the daemon takes at its peak, in a small heap: for one huge transaction and for a
 * long backlog, beside the sum that is promised: MemoryLimitTotal + 2 × BatchApplyMemoryLimit, both
 * as they are in effect, and a fixed part, which is what a daemon takes that has nothing to do.
 */
public final class MemoryBenchmark implements Benchmark {
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final long LOOK_MILLIS = 250;

  public static void main(String... arguments) {
    Benchmark.main(new MemoryBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/memory: the daemon's peak memory for one huge transaction and for a long backlog")
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
  public void run(Arguments arguments, Servers servers, PrintStream out) throws Exception {
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    String settings =
        "{ChangeProcessingTuning: {MemoryLimitTotal: " + arguments.count("memory") + "}}";
    String heap = "-Xmx" + arguments.count("heap") + "m";
    long transactions =
        Math.max(1, Math.round(arguments.number("minutes") * 60 * arguments.count("rate")));
    Backlog huge = new Backlog(new HugeTransaction(arguments.count("rows")));
    Backlog backlog = new Backlog(new Tpcb(arguments.count("scale"), transactions, false));
    Case idle = new Case("idle", servers, servers.newFolder("idle"), settings, heap, out);
    DaemonWatch.Peaks fixed =
        idle.watch(Duration.ofMillis(Math.round(arguments.number("idle") * 1000)));
    out.println("idle daemon: " + megabytes(fixed.resident()) + " MB");
    DaemonWatch.Peaks one =
        new Case("huge", servers, servers.newFolder("huge"), settings, heap, out)
            .drain(huge, limit);
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
        "\n| what | peak RSS MB (VmHWM) | promised MB: limits + fixed part | limits MB |"
            + " most held MB | heap MB after a collection, most | swap MB, most |\n"
            + "| --- | --- | --- | --- | --- | --- | --- |");
    out.println(row("idle: the fixed part", fixed, fixed));
    out.println(row(huge.shape().title(), one, fixed));
    out.println(
        row(
            backlog.shape().title()
                + String.format(
                    Locale.ROOT,
                    " (%s minutes of %,d/s)",
                    arguments.text("minutes"),
                    arguments.count("rate")),
            many,
            fixed));
  }

  private static String row(String name, DaemonWatch.Peaks peaks, DaemonWatch.Peaks fixed) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %s | %s | %s |",
        name,
        megabytes(peaks.resident()),
        megabytes(peaks.limit() + fixed.resident()),
        megabytes(peaks.limit()),
        megabytes(peaks.held()),
        megabytes(peaks.heap()),
        megabytes(peaks.swap()));
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%,d", Math.round(bytes / 1048576.0));
  }

  /** One daemon on databases of its own. */
  private record Case(
      String name, Servers servers, Path folder, String settings, String heap, PrintStream out) {

    /** A daemon that has nothing to do but to follow. */
    DaemonWatch.Peaks watch(Duration time) throws Exception {
      Backlog nothing = new Backlog(new HugeTransaction(1));
      Database source = create(nothing);
      DaemonWatch.Peaks peaks;
      try (SluiceDaemon daemon = start(source)) {
        DaemonWatch watch = new DaemonWatch(daemon, folder.resolve("collections.log"));
        daemon.awaitReplicating(START_LIMIT);
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
          watch.look();
          Thread.sleep(LOOK_MILLIS);
        }
        peaks = watch.peaks();
      }
      drop(source);
      return peaks;
    }

    /** A daemon that finds a backlog in the source's log when it starts. */
    DaemonWatch.Peaks drain(Backlog backlog, Duration limit) throws Exception {
      Database source = create(backlog);
      backlog.write(source);
      out.println(backlog.shape().title() + ": written");
      long start = System.nanoTime();
      DaemonWatch.Peaks peaks;
      try (SluiceDaemon daemon = start(source);
          Connection connection = target().connect()) {
        DaemonWatch watch = new DaemonWatch(daemon, folder.resolve("collections.log"));
        daemon.await(
            "the end of the backlog to be on the target",
            limit,
            () -> {
              watch.look();
              return Backlog.hasArrived(connection);
            });
        peaks = watch.peaks();
      }
      Digest.requireEqual("Sluice", source, target(), backlog.shape().tables());
      out.println(
          String.format(
              Locale.ROOT,
              "%s: applied in %.1f s, tables equal; peak RSS %s MB",
              backlog.shape().title(),
              (System.nanoTime() - start) / 1e9,
              megabytes(peaks.resident())));
      drop(source);
      return peaks;
    }

    private Database create(Backlog backlog) throws SQLException {
      Database source = Servers.create(servers.source("source_" + name));
      backlog.createTables(source);
      backlog.publish(source);
      Servers.createSlot(source, name);
      backlog.createTables(Servers.create(target()));
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
              List.of(heap, DaemonWatch.javaOption(folder.resolve("collections.log")))));
    }

    private void drop(Database source) throws SQLException, InterruptedException {
      Servers.dropSlot(source, name);
      Servers.drop(source);
      Servers.drop(target());
    }

    private Database target() {
      return servers.target("target_" + name);
    }
  }
}
