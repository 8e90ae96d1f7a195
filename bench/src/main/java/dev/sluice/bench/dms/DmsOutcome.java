package dev.sluice.bench.dms;

import dev.sluice.bench.run.LatencyCourse;
import java.util.List;
import java.util.Locale;

/**
 * What a test showed. Immutable.
 *
 * @param drainSeconds from the workload's end until all was on the target
 */
public record DmsOutcome(
    DmsTest test, LatencyCourse course, List<PhaseOutcome> phases, double drainSeconds) {

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
