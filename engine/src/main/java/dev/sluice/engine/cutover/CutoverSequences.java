package dev.sluice.engine.cutover;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.readiness.SequencesSet;
import dev.sluice.engine.readiness.UsedSequences;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The target's sequences in a cutover that stops the writers: they are set before the source
 * decides, while nobody uses the target. Used by the cutover's thread.
 */
final class CutoverSequences {
  private final TaskContext context;
  private final CutoverTask live;
  private final CutoverProgress progress;

  CutoverSequences(TaskContext context, CutoverTask live, CutoverProgress progress) {
    this.context = context;
    this.live = live;
    this.progress = progress;
  }

  /** The target's tables that stand for them. */
  List<TableId> standIns() {
    return SequenceCopy.standIns(
        context.source().reader(),
        context.target(),
        context.replicated(),
        context.config().tableMappings());
  }

  /** Requires that they could be set; sets none. */
  void requireSettable() {
    Gap.require(
        SequenceCopy.problems(
                context.source().reader(),
                context.target(),
                context.replicated(),
                context.config().tableMappings())
            .stream()
            .map(problem -> new Gap("sequences-not-settable", problem))
            .toList());
  }

  /**
   * Sets them. Notes the values before that: after a failure the next attempt knows its own.
   *
   * @param accepted the kinds of choices that somebody has accepted
   */
  void set(Set<String> accepted) {
    SequenceCopy.Result sequences =
        SequenceCopy.copyExactly(
            context.source().reader(),
            context.target(),
            context.replicated(),
            context.config().tableMappings(),
            (values, found) -> {
              UsedSequences.requireNone(context, found, accepted);
              live.record(
                  TaskStepNames.SEQUENCES_TO_SET,
                  TaskStepNames.SEQUENCES_TO_SET_NOTED,
                  UsedSequences.noteOf(context, values, found));
            });
    if (!sequences.notSet().isEmpty()) {
      throw new SluiceException.Fatal(sequences.notSet());
    }
    live.record(
        TaskStepNames.SEQUENCES, TaskStepNames.SEQUENCES_SET, SequencesSet.text(sequences.set()));
    progress.reached(
        "sequences set: %d%s"
            .formatted(
                sequences.set().size(),
                sequences.set().stream()
                    .map(set -> "%s to %d".formatted(set.sequence(), set.lastValue()))
                    .collect(Collectors.joining(", ", ": ", ""))
                    .replaceFirst("^: $", "")));
  }
}
