package dev.sluice.bench.dms;

import dev.sluice.bench.run.LatencyCourse;
import java.util.List;
import java.util.Locale;

/**
 * What a test showed. Immutable.
 *
 * @param daemonCpu CPU seconds of the daemons, from the workload's begin until all was on the
 *     target
 * @param targetCpu those of the target's server
 * @param drainSeconds from the workload's end until all was on the target
 */
public record DmsOutcome(
    DmsTest test,
    LatencyCourse course,
    List<PhaseOutcome> phases,
    double daemonCpu,
    double targetCpu,
    double drainSeconds) {

  public String row() {
    return String.format(
        Locale.ROOT,
        "| %s | %.1f | %.1f | %,.0f | %,.0f |",
        test.title(),
        course.maxSource(),
        course.maxTarget(),
        course.maxCaptured(),
        course.maxApplied());
  }

  /** What a change cost, and how long it took mostly. */
  public String cost() {
    double millions = phases.stream().mapToLong(PhaseOutcome::changes).sum() / 1e6;
    return String.format(
        Locale.ROOT,
        "| %s | %.2f | %.2f | %.1f | %.1f | %.1f |",
        test.name(),
        course.target(0.5),
        course.target(0.95),
        daemonCpu,
        targetCpu,
        (daemonCpu + targetCpu) / millions);
  }

  public String verdict() {
    List<String> growing =
        phases.stream()
            .filter(PhaseOutcome::grows)
            .map(phase -> phase.connections() + " connections")
            .toList();
    return String.format(
        Locale.ROOT,
        "%s: %s; all on the target %.1f s after the workload's end, tables equal",
        test.name(),
        growing.isEmpty()
            ? phases.stream().allMatch(phase -> phase.course().growth().isPresent())
                ? "target latency grew in no phase"
                : "phases too short to tell whether target latency grows"
            : "target latency GREW with " + String.join(" and with ", growing),
        drainSeconds);
  }
}
