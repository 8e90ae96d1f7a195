package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.ComparedSequence;
import dev.sluice.engine.readiness.SequencesSet.Note;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Sequences from which others have taken numbers, on a target that caches numbers. Values that
 * attempts of the cutover have set, or were about to set, do not count as taken. Stateless.
 */
public final class UsedSequences {
  private static final String KIND = "used-sequences";

  private UsedSequences() {}

  /**
   * Refuses to set sequences, if numbers were taken after the check that allowed the cutover.
   *
   * @param accepted the kinds of choices that somebody has accepted
   */
  public static void requireNone(
      TaskContext context, List<ComparedSequence> found, Set<String> accepted) {
    List<String> used = of(context, found);
    if (!used.isEmpty() && !accepted.contains(KIND)) {
      Gap.require(List.of(new Gap(KIND, problem("target sequence " + String.join("; ", used)))));
    }
  }

  /**
   * The note of values that are about to be set, for {@link TaskStepNames#SEQUENCES_TO_SET}. It
   * keeps values that earlier attempts have set, since this attempt may fail before it sets all.
   */
  public static String noteOf(
      TaskContext context, List<SequenceState> values, List<ComparedSequence> found) {
    List<Note> ours = ours(context);
    List<Note> notes = new ArrayList<>(SequencesSet.notes(SequencesSet.text(values)));
    found.stream()
        .map(each -> new Note(each.source(), each.givenOut()))
        .filter(there -> there.value().isPresent())
        .filter(there -> ours.contains(there) && !notes.contains(there))
        .toList()
        .forEach(notes::add);
    return SequencesSet.textOf(notes);
  }

  static void add(TaskContext context, List<ComparedSequence> compared, FindingList found) {
    List<String> used = of(context, compared);
    if (!used.isEmpty()) {
      found.add(
          KIND, Weight.CHOICE, problem("target: " + Counted.of(used.size(), "sequence")), used);
    }
  }

  private static Problem problem(String thing) {
    return new Problem(
        thing,
        "numbers were taken there; a session or server that keeps some of them goes on with them"
            + " after the cutover, although the source may have given them out, too",
        "sequences of which nobody has taken a number on the target",
        "End the sessions that took them, and restart the servers if ysql_sequence_cache_method is"
            + " server. Then accept it: a sequence is never set back");
  }

  private static List<String> of(TaskContext context, List<ComparedSequence> compared) {
    List<ComparedSequence> givenOut =
        compared.stream().filter(each -> each.givenOut().isPresent()).toList();
    if (givenOut.isEmpty()) {
      return List.of();
    }
    List<Note> ours = ours(context);
    return givenOut.stream()
        .filter(each -> !ours.contains(new Note(each.source(), each.givenOut())))
        .map(each -> "%s, up to %d".formatted(each.target(), each.givenOut().get()))
        .toList();
  }

  /**
   * The task's own values. A sequence that was accepted as used stays used, whatever was set later:
   * its cached numbers are still cached.
   */
  private static List<Note> ours(TaskContext context) {
    if (wasAccepted(context)) {
      return List.of();
    }
    return Stream.of(TaskStepNames.SEQUENCES, TaskStepNames.SEQUENCES_TO_SET)
        .flatMap(step -> context.steps().read(context.task(), step).stream())
        .flatMap(step -> SequencesSet.notes(step.detail()).stream())
        .toList();
  }

  private static boolean wasAccepted(TaskContext context) {
    return context
        .steps()
        .read(context.task(), TaskStepNames.ACCEPTED)
        .filter(step -> List.of(step.detail().split(", ")).contains(KIND))
        .isPresent();
  }
}
