package dev.sluice.engine.page;

import dev.sluice.engine.status.StatusFigures;
import dev.sluice.engine.status.TaskStatus;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** A figure of the status that the page plots. */
enum Figure {
  SOURCE_LATENCY_SECONDS(Merging.LARGEST, figures -> figures.latency().sourceSeconds()),
  TARGET_LATENCY_SECONDS(Merging.LARGEST, figures -> figures.latency().targetSeconds()),
  SOURCE_ROWS_PER_SECOND(Merging.MEAN, figures -> figures.throughput().sourceRowsPerSecond()),
  TARGET_ROWS_PER_SECOND(Merging.MEAN, figures -> figures.throughput().targetRowsPerSecond()),
  FULL_LOAD_ROWS_PER_SECOND(Merging.MEAN, figures -> figures.throughput().fullLoadRowsPerSecond()),
  BACKLOG_CHANGES(Merging.LARGEST, StatusFigures::backlogChanges),
  MEMORY_BYTES(Merging.LARGEST, StatusFigures::memoryBytes),
  MEMORY_LIMIT_BYTES(Merging.LARGEST, StatusFigures::memoryLimitBytes),
  SWAP_BYTES(Merging.LARGEST, StatusFigures::swapBytes),
  SWAP_LIMIT_BYTES(Merging.LARGEST, StatusFigures::swapLimitBytes),
  SOURCE_LOG_HOURS_LEFT(Merging.SMALLEST, figures -> hoursLeft(figures, "source log")),
  KAFKA_DISK_HOURS_LEFT(Merging.SMALLEST, figures -> hoursLeft(figures, "kafka disk"));

  /** What several values within one step of a plot become: whatever is worse stays visible. */
  enum Merging {
    LARGEST,
    SMALLEST,
    MEAN
  }

  private final Merging merging;
  private final Function<StatusFigures, Number> value;

  Figure(Merging merging, Function<StatusFigures, Number> value) {
    this.merging = merging;
    this.value = value;
  }

  /** The name in JSON. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty if it is not known, or does not apply. */
  Optional<Double> of(StatusFigures figures) {
    return Optional.ofNullable(value.apply(figures))
        .map(Number::doubleValue)
        .filter(Double::isFinite);
  }

  /**
   * @param merged of the values before
   * @param count how many these are
   */
  double merge(double merged, int count, double next) {
    return switch (merging) {
      case LARGEST -> Math.max(merged, next);
      case SMALLEST -> Math.min(merged, next);
      case MEAN -> merged + (next - merged) / (count + 1);
    };
  }

  private static Double hoursLeft(StatusFigures figures, String guard) {
    return figures.guards().stream()
        .filter(state -> state.name().equals(guard))
        .findFirst()
        .map(TaskStatus.Guard::hoursLeft)
        .orElse(null);
  }
}
