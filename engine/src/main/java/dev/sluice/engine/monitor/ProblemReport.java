package dev.sluice.engine.monitor;

import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.progress.SinkState;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What keeps a task from working at present. Used for one page, by one thread.
 *
 * @param sink empty while no changes are applied
 */
record ProblemReport(
    TaskRuntime runtime, Phase phase, Optional<SinkProgress> sink, MonitorSnapshot measured) {

  /** In words; null if nothing does. */
  String words() {
    String all =
        Stream.of(
                runtime.problem(),
                sink.filter(progress -> progress.state() != SinkState.RUNNING)
                    .map(ProblemReport::words),
                measured.guards().problem())
            .flatMap(Optional::stream)
            .collect(Collectors.joining("; "));
    return all.isEmpty() ? null : all;
  }

  private static String words(SinkProgress progress) {
    return progress.state()
        + ": "
        + progress.detail()
        + (progress.state() == SinkState.TARGET_RETRY ? ", or at once by sluice retry" : "");
  }

  /** For the metrics. */
  Set<ProblemKind> kinds() {
    Set<ProblemKind> kinds = EnumSet.noneOf(ProblemKind.class);
    kinds.addAll(runtime.problemKinds());
    sink.map(SinkProgress::state).flatMap(ProblemReport::kind).ifPresent(kinds::add);
    if (measured.guards().problem().isPresent()) {
      kinds.add(ProblemKind.DISK);
    }
    if (phase == Phase.FAILED) {
      kinds.add(ProblemKind.FAILED);
    }
    return kinds;
  }

  private static Optional<ProblemKind> kind(SinkState state) {
    return switch (state) {
      case SWAP_FULL -> Optional.of(ProblemKind.SWAP_FULL);
      case TARGET_RETRY -> Optional.of(ProblemKind.TARGET_RETRY);
      case FAILED -> Optional.of(ProblemKind.FAILED);
      case RUNNING, STOPPED -> Optional.empty();
    };
  }
}
