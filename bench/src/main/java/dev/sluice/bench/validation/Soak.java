package dev.sluice.bench.validation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.OpenLoop;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Validates a moving pair of databases for a while, and counts what is reported as different
 * although it is not. Then plants faults under the same traffic: each must be found, none invented,
 * each repaired, and both sides equal at the end. Single use.
 *
 * @param rate row changes per second
 * @param duty ValidationDutyCycle
 * @param faults how many are planted
 */
record Soak(double rate, Duration time, int duty, int faults) {
  private static final int PASSES = 5;

  void run(ServerPair servers, PrintStream out) throws Exception {
    String settings =
        "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning:"
            + " {BatchApplyTimeoutMin: 0.1}, ValidationSettings: {EnableValidation: true,"
            + " TableFailureMaxCount: 100000, FailureMaxCount: 100000}, Sluice:"
            + " {ValidationDutyCycle: %d}}".formatted(duty);
    try (SluiceTask task = new SluiceTask(servers, "soak", settings)) {
      MixedWorkload.create(task.source());
      task.start();
      try (OpenLoop loop = MixedWorkload.start(task.source(), rate);
          MixedWorkload.Definitions definitions = new MixedWorkload.Definitions(task.source())) {
        soak(task, loop, out);
        plant(task, loop, out);
        loop.stop();
        definitions.stop();
      }
      task.awaitApplied();
      Digest.requireEqual("the repair", task.source(), task.target(), MixedWorkload.TABLES);
      out.println("all tables equal at the end, compared whole on both sides");
    }
  }

  private void soak(SluiceTask task, OpenLoop loop, PrintStream out) throws Exception {
    long committed = loop.committed();
    SluiceTask.Cpu before = task.cpu();
    Highest highest = new Highest();
    long begun = System.nanoTime();
    int passes = 0;
    int equal = 0;
    while (System.nanoTime() - begun < time.toNanos()) {
      // Every row again, also those of tables that were read a moment ago.
      equal += task.command("validate") == 0 ? 1 : 0;
      passes++;
      loop.requireHealthy();
      highest.take(task);
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    SluiceTask.Cpu used = task.cpu().since(before);
    JsonNode validation = highest.last;
    out.printf(
        Locale.ROOT,
        "soak: %.0f s at %,.0f changes/s (planned %,.0f), ValidationDutyCycle %d: %,d sessions, %,d"
            + " rows and %,d single rows compared, %d passes of all tables by command of which %d"
            + " proved everything (the others met rows that change in every session)%n",
        seconds,
        (loop.committed() - committed) * MixedWorkload.CHANGES / seconds,
        rate,
        duty,
        validation.path("sessions").asLong(),
        validation.path("rows").asLong(),
        validation.path("keys").asLong(),
        passes,
        equal);
    out.printf(
        Locale.ROOT,
        "false differences: %d confirmed, %d seen once (highest at any time)%n",
        highest.failed,
        highest.pending);
    out.printf(
        Locale.ROOT,
        "CPU per second: source %.2f, target %.2f, daemon %.2f; the latest transaction begun %d ms"
            + " late%n",
        used.source() / seconds,
        used.target() / seconds,
        used.daemon() / seconds,
        loop.latest().toMillis());
    if (highest.failed + highest.pending > 0) {
      throw new IllegalStateException(
          "a difference was reported where there is none: "
              + task.onTarget(
                  "SELECT string_agg(table_name || ' ' || failure_type || ' ' || key || ' ' ||"
                      + " details, '; ') FROM sluice_control.sluice_validation_failures_v2"));
    }
  }

  private void plant(SluiceTask task, OpenLoop loop, PrintStream out) throws Exception {
    PlantedFaults planted = PlantedFaults.plant(task.target(), faults, new Random(1));
    Set<Integer> found = new TreeSet<>();
    Set<Integer> invented = new TreeSet<>();
    long elsewhere = 0;
    for (int pass = 0; pass < PASSES && !found.equals(planted.kinds().keySet()); pass++) {
      task.command("validate");
      loop.requireHealthy();
      PlantedFaults.Listed listed = PlantedFaults.Listed.read(task.target());
      found.addAll(listed.ids());
      found.retainAll(planted.kinds().keySet());
      invented.addAll(listed.ids());
      elsewhere += listed.elsewhere();
    }
    invented.removeAll(planted.kinds().keySet());
    out.println("\n| fault | planted | found |\n| --- | --- | --- |");
    planted.lines(found).forEach(out::println);
    out.printf(
        "%ntogether %,d planted, %,d found, %,d invented%n",
        planted.kinds().size(), found.size(), invented.size() + elsewhere);
    int left = faults;
    for (int attempt = 0; attempt < PASSES && left > 0; attempt++) {
      task.command("repair", "--delete-extra");
      task.command("validate");
      left = PlantedFaults.Listed.read(task.target()).ids().size();
    }
    out.printf(
        "repaired: %s rows; %d left after another pass%n",
        task.onTarget(
            "SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"
                + " WHERE resync_result = 'REPAIRED'"),
        left);
    if (!found.equals(planted.kinds().keySet()) || !invented.isEmpty() || elsewhere + left > 0) {
      throw new IllegalStateException("not all and only the planted faults: " + task.printed());
    }
  }

  /** The highest numbers of differences that were reported. */
  private static final class Highest {
    private JsonNode last;
    private long failed;
    private long pending;

    void take(SluiceTask task) throws Exception {
      last = task.daemon().status().orElseThrow().path("validation");
      long failures = 0;
      long waiting = 0;
      for (JsonNode table : last.path("tables")) {
        failures += table.path("failed").asLong();
        waiting += table.path("pending").asLong();
      }
      failed = Math.max(failed, failures);
      pending = Math.max(pending, waiting);
    }
  }
}
