package dev.sluice.engine.readiness;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.ComparedSequence;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.util.List;

/** What the applications would notice of the target's sequences after a cutover. Stateless. */
final class SequenceFindings {
  private SequenceFindings() {}

  /**
   * @param tables names on the source
   */
  static void add(TaskContext context, List<TableId> tables, FindingList found) {
    TableMappings mappings = context.config().tableMappings();
    List<ComparedSequence> compared =
        ComparedSequence.among(
            SequenceCopy.states(context.source().reader(), tables, mappings),
            context.target(),
            mappings);
    compared.stream()
        .flatMap(each -> each.different().stream())
        .forEach(problem -> found.add("different-sequences", Weight.CHOICE, problem));
    UsedSequences.add(context, compared, found);
  }
}
