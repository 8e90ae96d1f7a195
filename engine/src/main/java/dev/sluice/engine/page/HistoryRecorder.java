package dev.sluice.engine.page;

import dev.sluice.config.MonotonicClock;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.status.StatusFigures;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a sample of the figures every two seconds, on a thread of its own: for the history, its
 * file and the pages that are open.
 */
final class HistoryRecorder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryRecorder.class);

  private static final Duration WRITING = Duration.ofMinutes(1);

  private final Supplier<StatusFigures> figures;
  private final StatusHistory history;
  private final HistoryFile file;
  private final LiveUpdates updates;
  private final Clock clock;
  private final MonotonicClock intervals;
  private final PeriodicTask sampling;
  private Instant due;

  HistoryRecorder(
      Supplier<StatusFigures> figures,
      StatusHistory history,
      HistoryFile file,
      LiveUpdates updates,
      Clock clock) {
    this.figures = figures;
    this.history = history;
    this.file = file;
    this.updates = updates;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.due = intervals.instant().plus(WRITING);
    this.sampling =
        new PeriodicTask(
            "sluice-history",
            Span.QUARTER.step(),
            this::sample,
            e -> LOG.debug("a sample of the figures failed: {}", e.toString()));
  }

  void start() {
    sampling.start();
  }

  /** Writes the file for the last time. */
  @Override
  public void close() {
    sampling.close();
    file.write(history);
  }

  private void sample() {
    Sample sample = Sample.of(clock.instant(), figures.get());
    history.add(sample);
    updates.publish(sample);
    if (!intervals.instant().isBefore(due)) {
      due = intervals.instant().plus(WRITING);
      file.write(history);
    }
  }
}
