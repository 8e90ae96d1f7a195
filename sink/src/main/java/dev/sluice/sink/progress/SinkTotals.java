package dev.sluice.sink.progress;

import java.time.Duration;

/**
 * What the metrics of a sink show, of one pipeline or of several in a row. Immutable.
 *
 * @param windows that were applied
 * @param filling how long windows were filled
 */
public record SinkTotals(SinkFigures figures, WindowFigures windows, Duration filling) {
  public static final SinkTotals NONE =
      new SinkTotals(SinkFigures.NONE, WindowFigures.NONE, Duration.ZERO);

  /** The numbers of one pipeline, which count from its start. */
  public static SinkTotals of(SinkProgress progress) {
    return new SinkTotals(
        SinkFigures.of(progress), progress.apply().figures(), progress.intake().filling());
  }

  /** What stays of a pipeline that has ended: what it has counted. */
  public SinkTotals counted() {
    return new SinkTotals(figures.counted(), windows, filling);
  }

  /** Together with a later pipeline. */
  public SinkTotals plus(SinkTotals later) {
    return new SinkTotals(
        figures.plus(later.figures), windows.plus(later.windows), filling.plus(later.filling));
  }
}
