package dev.sluice.bench.dms;

import dev.sluice.bench.run.LatencyCourse;
import java.util.Locale;

/** One number of connections at work for a time. */
public record PhaseOutcome(
    int connections, double seconds, long transactions, LatencyCourse course, long changes) {

  /** Falling behind by more than this in each second is growth; less is the windows' own swing. */
  private static final double GROWTH = 0.1;

  boolean grows() {
    return course.growth().orElse(0) > GROWTH;
  }

  public String row(DmsTest test) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %.0f | %,.0f | %,d | %.1f | %.1f | %s |",
        test.name(),
        connections,
        seconds,
        transactions / seconds,
        changes,
        course.maxTarget(),
        course.lastTarget(),
        course.growth().isEmpty()
            ? "too short to tell"
            : String.format(Locale.ROOT, "%+.2f", course.growth().getAsDouble()));
  }
}
