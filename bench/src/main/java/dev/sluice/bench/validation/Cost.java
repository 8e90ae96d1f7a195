package dev.sluice.bench.validation;

import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.peer.ValidationWork;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.server.OldestSnapshot;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.OpenLoop;
import dev.sluice.bench.workload.Tpcb;
import dev.sluice.bench.workload.TransactionTimes;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What the validation costs where rows are hot: applications run TPC-B on one branch at a steady
 * rate, by turns with a task that does not validate, with one that validates as it does by default,
 * and with one whose tables are read whole again and again. Single use.
 *
 * @param rate transactions per second, below what the machine can do: a target that lags is not
 *     validated
 * @param time of each run that is counted at least
 */
record Cost(int rate, Duration time, int runs) {
  private static final int APPLICATIONS = 8;

  /** The part of the time that is not counted, before the time. */
  private static final int WARM_UP = 4;

  /** A session must have ended until then. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final Duration LOOK = Duration.ofMillis(100);

  private enum Contender {
    WITHOUT("without validation"),
    VALIDATING("validating all the time"),
    PASSES("one `sluice validate` after the other");

    private final String title;

    Contender(String title) {
      this.title = title;
    }
  }

  /**
   * @param onSource the oldest snapshot there
   * @param onTarget the oldest snapshot there
   * @param seconds that were counted
   */
  private record Run(
      TransactionTimes.Millis times,
      SluiceTask.Cpu cpuPerSecond,
      Duration onSource,
      Duration onTarget,
      ValidationWork work,
      double seconds) {}

  void run(ServerPair servers, PrintStream out) throws Exception {
    Map<Contender, List<Run>> all = new EnumMap<>(Contender.class);
    for (int run = 1; run <= runs; run++) {
      for (Contender contender : Contender.values()) {
        String name = contender.name().toLowerCase(Locale.ROOT) + "_" + run;
        Run measured = measure(servers, name, contender);
        all.computeIfAbsent(contender, key -> new ArrayList<>()).add(measured);
        out.println("cost, run " + run + ": " + contender.title + ": " + measured);
      }
    }
    out.printf(
        Locale.ROOT,
        "%n| TPC-B on one branch, %,d transactions/s | transaction p50 ms | p99 ms (min – max of"
            + " runs) | CPU per second: source, target, daemon | oldest snapshot, s: source, target"
            + " | sessions/s, rows/s, keys/s | runs |%n| --- | --- | --- | --- | --- | --- | --- |%n",
        rate);
    all.forEach((contender, measured) -> out.println(line(contender.title, measured)));
  }

  private Run measure(ServerPair servers, String name, Contender contender) throws Exception {
    String settings =
        "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning:"
            + " {BatchApplyTimeoutMin: 0.1}, ValidationSettings: {EnableValidation: %s}}"
                .formatted(contender != Contender.WITHOUT);
    Tpcb shape = new Tpcb(1, 0, true);
    try (SluiceTask task = new SluiceTask(servers, name, settings)) {
      task.source().execute(shape.creation());
      task.source().execute(shape.filling());
      task.source().execute(procedure(shape), "CREATE SEQUENCE bench_transaction CACHE 100");
      task.start();
      TransactionTimes times = new TransactionTimes(Cost::transaction);
      Run run;
      try (OpenLoop loop = OpenLoop.start(task.source(), APPLICATIONS, rate, times)) {
        Thread.sleep(time.dividedBy(WARM_UP).toMillis());
        run = count(task, loop, times, contender);
        loop.stop();
      }
      task.awaitApplied();
      Digest.requireEqual(name, task.source(), task.target(), shape.tables());
      return run;
    }
  }

  private static String procedure(Tpcb shape) {
    return "CREATE PROCEDURE bench_tpcb(i bigint) LANGUAGE plpgsql AS $$ DECLARE "
        + shape.variables()
        + " BEGIN "
        + shape.transaction()
        + " END $$";
  }

  private static void transaction(Connection connection, int writer, long number)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("CALL bench_tpcb(nextval('bench_transaction'))")) {
      statement.execute();
    }
  }

  private Run count(SluiceTask task, OpenLoop loop, TransactionTimes times, Contender contender)
      throws Exception {
    try (OldestSnapshot onSource = OldestSnapshot.watch(task.source());
        OldestSnapshot onTarget = OldestSnapshot.watch(task.target());
        Passes passes = new Passes(task)) {
      if (contender == Contender.PASSES) {
        passes.begin();
      }
      times.forget();
      ValidationWork workBefore = ValidationWork.of(task.daemon());
      SluiceTask.Cpu cpuBefore = task.cpu();
      long begun = System.nanoTime();
      while (!isEnough(task, contender, workBefore, begun)) {
        loop.requireHealthy();
        onSource.look();
        onTarget.look();
        Thread.sleep(LOOK.toMillis());
      }
      double seconds = (System.nanoTime() - begun) / 1e9;
      SluiceTask.Cpu used = task.cpu().since(cpuBefore);
      ValidationWork work = ValidationWork.of(task.daemon()).since(workBefore);
      if (contender != Contender.WITHOUT) {
        work.requireSome();
      }
      return new Run(
          times.millis(),
          new SluiceTask.Cpu(
              used.source() / seconds, used.target() / seconds, used.daemon() / seconds),
          onSource.oldest(),
          onTarget.oldest(),
          work,
          seconds);
    }
  }

  /**
   * The time is over, and a session has ended: without one nothing of the validation is measured.
   */
  private boolean isEnough(SluiceTask task, Contender contender, ValidationWork before, long begun)
      throws InterruptedException {
    Duration passed = Duration.ofNanos(System.nanoTime() - begun);
    return passed.compareTo(time) >= 0
        && (contender == Contender.WITHOUT
            || passed.compareTo(LONGEST) >= 0
            || ValidationWork.of(task.daemon()).since(before).sessions() > 0);
  }

  private static String line(String name, List<Run> of) {
    MedianSpread p99 = MedianSpread.of(of, run -> run.times().p99());
    return String.format(
        Locale.ROOT,
        "| %s | %.2f | %.2f (%.2f – %.2f) | %.2f, %.2f, %.2f | %.1f, %.1f | %.1f, %,.0f, %,.0f |"
            + " %d |",
        name,
        median(of, run -> run.times().p50()),
        p99.median(),
        p99.least(),
        p99.most(),
        median(of, run -> run.cpuPerSecond().source()),
        median(of, run -> run.cpuPerSecond().target()),
        median(of, run -> run.cpuPerSecond().daemon()),
        MedianSpread.of(of, run -> run.onSource().toMillis() / 1e3).most(),
        MedianSpread.of(of, run -> run.onTarget().toMillis() / 1e3).most(),
        median(of, run -> run.work().sessions() / run.seconds()),
        median(of, run -> run.work().rows() / run.seconds()),
        median(of, run -> run.work().keys() / run.seconds()),
        of.size());
  }

  private static double median(List<Run> of, ToDoubleFunction<Run> figure) {
    return MedianSpread.of(of, figure).median();
  }

  /** Passes by command, one after the other on their own thread, until it is closed. */
  private static final class Passes implements AutoCloseable {
    private final Thread thread;
    private volatile boolean ending;

    private Passes(SluiceTask task) {
      this.thread = new Thread(() -> work(task), "passes");
      thread.setDaemon(true);
    }

    void begin() {
      thread.start();
    }

    private void work(SluiceTask task) {
      while (!ending) {
        task.command("validate");
      }
    }

    @Override
    public void close() {
      ending = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
