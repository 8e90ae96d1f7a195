package dev.sluice.engine.command.display;

import dev.sluice.config.Counted;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.TaskStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Shows how a task replicates, from the status pages of its daemon: phase, lag, rates and what
 * waits. Used by a command's thread.
 */
public final class ReplicationWatch {
  private final ProgressScreen screen;
  private String phase;

  /**
   * @param phase that was shown last; each new one stays on the screen
   */
  public ReplicationWatch(ProgressScreen screen, String phase) {
    this.screen = screen;
    this.phase = phase;
  }

  /** Shows a status page in place of the last one. */
  public void show(Instant now, TaskStatus status) {
    if (!phase.equals(status.phase())) {
      phase = status.phase();
      screen.print("%s: %s".formatted(phase, status.reason()));
    }
    List<String> problems = problems(status);
    screen.show(now, lines(status, problems), plain(now, status, problems));
  }

  private static List<String> lines(TaskStatus status, List<String> problems) {
    List<String> lines = new ArrayList<>();
    lines.add("task     %s: %s since %s".formatted(status.task(), status.phase(), status.since()));
    lines.add("source   " + position(status.source().position()) + ", " + source(status));
    lines.add("target   " + position(status.target().position()) + ", " + target(status));
    lines.add("waiting  " + waiting(status));
    problems.forEach(problem -> lines.add("problem  " + problem));
    return lines;
  }

  private static String plain(Instant now, TaskStatus status, List<String> problems) {
    return "%s %s: source %s; target %s; waiting %s%s"
        .formatted(
            now.truncatedTo(ChronoUnit.SECONDS),
            status.phase(),
            source(status),
            target(status),
            waiting(status),
            problems.isEmpty() ? "" : "; problem: " + String.join("; ", problems));
  }

  private static String source(TaskStatus status) {
    return flow(status.throughput().sourceRowsPerSecond(), status.latency().sourceSeconds());
  }

  private static String target(TaskStatus status) {
    return flow(status.throughput().targetRowsPerSecond(), status.latency().targetSeconds());
  }

  private static String flow(double rowsPerSecond, Double behind) {
    return String.format(
        Locale.ROOT,
        "%,.0f rows/s, %s behind",
        rowsPerSecond,
        behind == null ? "-" : String.format(Locale.ROOT, "%.1f s", behind));
  }

  private static String waiting(TaskStatus status) {
    return Counted.of(status.backlog().changes(), "change") + ", " + BacklogOutlook.of(status);
  }

  /** What keeps the task from working, each on one line. */
  private static List<String> problems(TaskStatus status) {
    List<String> problems = new ArrayList<>();
    if (status.problem() != null) {
      problems.add(onOneLine(status.problem()));
    }
    for (TaskStatus.Endpoint endpoint : status.endpoints()) {
      if (endpoint.problem() != null) {
        problems.add(endpoint.name() + " is away: " + onOneLine(endpoint.problem()));
      }
    }
    if (!status.suspended().isEmpty()) {
      problems.add(Counted.of(status.suspended().size(), "table") + " suspended");
    }
    return problems;
  }

  private static String onOneLine(String text) {
    return text.replaceAll("\\s*\\R\\s*", " ");
  }

  private static String position(String text) {
    return text == null ? "-" : text;
  }
}
