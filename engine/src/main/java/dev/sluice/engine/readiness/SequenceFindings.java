package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.load.SequenceCopy.Compared;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the applications would notice of the target's sequences after a cutover. Stateless. */
final class SequenceFindings {
  private static final String USED = "used-sequences";

  private SequenceFindings() {}

  /**
   * @param tables names on the source
   */
  static void add(TaskContext context, List<TableId> tables, FindingList found) {
    List<Compared> compared =
        SequenceCopy.compare(
            context.source().reader(), context.target(), tables, context.config().tableMappings());
    compared.stream()
        .flatMap(each -> each.different().stream())
        .forEach(problem -> found.add("different-sequences", Weight.CHOICE, problem));
    // One that was accepted stays one, whatever was set over it: what is kept of it is still kept.
    Map<TableId, Optional<Long>> set = wasAccepted(context) ? Map.of() : SequencesSet.read(context);
    List<String> used =
        compared.stream()
            .filter(each -> each.givenOut().isPresent())
            // What an earlier attempt has set was not given out.
            .filter(each -> !each.givenOut().equals(set.get(each.source())))
            .map(each -> "%s, up to %d".formatted(each.target(), each.givenOut().get()))
            .toList();
    if (!used.isEmpty()) {
      found.add(
          USED,
          Weight.CHOICE,
          new Problem(
              "target: " + Counted.of(used.size(), "sequence"),
              "numbers were taken there; a session or server that keeps some of them goes on with"
                  + " them after the cutover, although the source may have given them out, too",
              "sequences of which nobody has taken a number on the target",
              "End the sessions that took them, and restart the servers if"
                  + " ysql_sequence_cache_method is server. Then accept it: a sequence is never set"
                  + " back"),
          used);
    }
  }

  private static boolean wasAccepted(TaskContext context) {
    return context
        .steps()
        .read(context.task(), TaskStepNames.ACCEPTED)
        .filter(step -> List.of(step.detail().split(", ")).contains(USED))
        .isPresent();
  }
}
