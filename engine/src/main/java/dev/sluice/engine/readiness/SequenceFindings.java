package dev.sluice.engine.readiness;

import dev.sluice.config.TableId;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.load.SequenceCopy.Compared;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.util.List;

/** What the applications would notice of the target's sequences after a cutover. Stateless. */
final class SequenceFindings {
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
    UsedSequences.add(context, compared, found);
  }
}
