package dev.sluice.engine.cutover;

import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.task.TaskStep;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What a cutover notes on the target for a daemon that goes on with it: what was accepted, and what
 * its report has so far. Owned by the cutover's thread.
 */
final class CutoverNotes {
  private final TaskContext context;
  private final CutoverTask live;
  private final CutoverProgress progress;
  private final CutoverReportFile file;

  /** Whether the report has all that was done before the decision, here or on the target. */
  private boolean continued;

  /**
   * @param live access to the running task
   */
  CutoverNotes(
      TaskContext context, CutoverTask live, CutoverProgress progress, CutoverReportFile file) {
    this.context = context;
    this.live = live;
    this.progress = progress;
    this.file = file;
  }

  /** Notes which choices were accepted. An earlier attempt may have noted others. */
  void accepted(Collection<String> given) {
    String kinds = String.join(", ", new TreeSet<>(given));
    if (!kinds.equals(acceptedBefore().orElse(""))) {
      live.record(TaskStepNames.ACCEPTED, TaskStepNames.ACCEPTED_NOTED, kinds);
    }
  }

  /** The choices that were accepted; empty if there were none. */
  Optional<String> acceptedBefore() {
    return context
        .steps()
        .read(context.task(), TaskStepNames.ACCEPTED)
        .map(TaskStep::detail)
        .filter(kinds -> !kinds.isEmpty());
  }

  /**
   * Notes the report, or goes on with what was noted: a daemon that dies from now on leaves it to
   * the next one.
   *
   * @param ran whether this daemon did the cutover from its beginning on
   */
  void continueReport(boolean ran) {
    if (continued) {
      return;
    }
    if (ran) {
      live.record(
          TaskStepNames.CUTOVER_TIMELINE,
          TaskStepNames.CUTOVER_TIMELINE_NOTED,
          file.begun() + "\n" + String.join("\n", progress.timeline()));
    } else {
      context
          .steps()
          .read(context.task(), TaskStepNames.CUTOVER_TIMELINE)
          .ifPresent(
              noted -> {
                List<String> lines = List.of(noted.detail().split("\n"));
                file.goOn(Instant.parse(lines.get(0)));
                progress.goOn(lines.subList(1, lines.size()));
              });
    }
    continued = true;
  }

  /** Writes the report as far as it goes; returns where, if it could be written. */
  Optional<Path> writeReport() {
    return file.write(progress.status());
  }
}
