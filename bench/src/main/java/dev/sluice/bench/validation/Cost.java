package dev.sluice.bench.validation;

import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.run.Spread;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.OldestSnapshot;
import dev.sluice.bench.server.Servers;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.Tpcb;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;

/**
 * What the validation costs where rows are hot: applications run TPC-B on one branch as fast as
 * they can, by turns with a task that validates all the time and with one that does not. Single
 * use.
 *
 * @param time of each run that is counted
 */
record Cost(Duration time, int runs) {
  private static final int APPLICATIONS = 8;

  /** The part of the time that is not counted, before the time. */
  private static final int WARM_UP = 4;

  private static final Duration LOOK = Duration.ofMillis(100);

  /**
   * @param onSource the oldest snapshot there
   * @param onTarget the oldest snapshot there
   */
  private record Run(
      double perSecond, SluiceTask.Cpu cpuPerSecond, Duration onSource, Duration onTarget) {}

  void run(Servers servers, PrintStream out) throws Exception {
    List<Run> without = new ArrayList<>();
    List<Run> with = new ArrayList<>();
    for (int run = 1; run <= runs; run++) {
      without.add(measure(servers, "without_" + run, false));
      with.add(measure(servers, "with_" + run, true));
      out.printf(
          Locale.ROOT,
          "cost, run %d: %,.0f transactions/s without validation, %,.0f with it%n",
          run,
          without.get(run - 1).perSecond(),
          with.get(run - 1).perSecond());
    }
    out.println(
        "\n| TPC-B on one branch | transactions/s (min – max) | CPU per second: source, target,"
            + " daemon | oldest snapshot, s: source, target | runs |\n| --- | --- | --- | --- | --- |");
    out.println(line("without validation", without));
    out.println(line("validating all the time", with));
  }

  private Run measure(Servers servers, String name, boolean validated) throws Exception {
    String settings =
        "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning:"
            + " {BatchApplyTimeoutMin: 1}, ValidationSettings: {EnableValidation: %s}}"
                .formatted(validated);
    Tpcb shape = new Tpcb(1, 0, true);
    try (SluiceTask task = new SluiceTask(servers, name, settings)) {
      task.source().execute(shape.creation());
      task.source().execute(shape.filling());
      task.source().execute(function(shape), "CREATE SEQUENCE bench_transaction CACHE 100");
      task.start();
      Run run;
      try (Applications applications = Applications.start(task.source())) {
        Thread.sleep(time.dividedBy(WARM_UP).toMillis());
        run = count(task, applications);
        applications.end();
      }
      task.awaitApplied();
      Digest.requireEqual(name, task.source(), task.target(), shape.tables());
      return run;
    }
  }

  private static String function(Tpcb shape) {
    return "CREATE PROCEDURE bench_tpcb(i bigint) LANGUAGE plpgsql AS $$ DECLARE "
        + shape.variables()
        + " BEGIN "
        + shape.transaction()
        + " END $$";
  }

  private Run count(SluiceTask task, Applications applications) throws Exception {
    try (OldestSnapshot onSource = OldestSnapshot.watch(task.source());
        OldestSnapshot onTarget = OldestSnapshot.watch(task.target())) {
      long before = applications.committed.get();
      SluiceTask.Cpu cpuBefore = task.cpu();
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < time.toNanos()) {
        onSource.look();
        onTarget.look();
        Thread.sleep(LOOK.toMillis());
      }
      double seconds = (System.nanoTime() - begun) / 1e9;
      SluiceTask.Cpu used = task.cpu().since(cpuBefore);
      return new Run(
          (applications.committed.get() - before) / seconds,
          new SluiceTask.Cpu(
              used.source() / seconds, used.target() / seconds, used.daemon() / seconds),
          onSource.oldest(),
          onTarget.oldest());
    }
  }

  private static String line(String name, List<Run> of) {
    Spread perSecond = Spread.of(of, Run::perSecond);
    return String.format(
        Locale.ROOT,
        "| %s | %,.0f (%,.0f – %,.0f) | %.2f, %.2f, %.2f | %.1f, %.1f | %d |",
        name,
        perSecond.median(),
        perSecond.least(),
        perSecond.most(),
        median(of, run -> run.cpuPerSecond().source()),
        median(of, run -> run.cpuPerSecond().target()),
        median(of, run -> run.cpuPerSecond().daemon()),
        Spread.of(of, run -> run.onSource().toMillis() / 1e3).most(),
        Spread.of(of, run -> run.onTarget().toMillis() / 1e3).most(),
        of.size());
  }

  private static double median(List<Run> of, ToDoubleFunction<Run> figure) {
    return Spread.of(of, figure).median();
  }

  /** Connections that commit one transaction after the other. */
  private static final class Applications implements AutoCloseable {
    private final AtomicLong committed = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ending;

    static Applications start(Database source) {
      Applications started = new Applications();
      for (int i = 0; i < APPLICATIONS; i++) {
        Thread thread = new Thread(() -> started.work(source), "application-" + i);
        thread.setDaemon(true);
        started.threads.add(thread);
        thread.start();
      }
      return started;
    }

    private void work(Database source) {
      try (Connection connection = source.connect();
          PreparedStatement transaction =
              connection.prepareStatement("CALL bench_tpcb(nextval('bench_transaction'))")) {
        while (!ending) {
          transaction.execute();
          committed.incrementAndGet();
        }
      } catch (Exception e) {
        failure.compareAndSet(null, e);
      }
    }

    void end() throws Exception {
      ending = true;
      for (Thread thread : threads) {
        thread.join();
      }
      if (failure.get() != null) {
        throw failure.get();
      }
    }

    @Override
    public void close() {
      ending = true;
    }
  }
}
