package dev.sluice.engine.fullload;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.LoadedTable;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.List;
import java.util.function.Supplier;

/**
 * Decides whether a load keeps what an earlier attempt has loaded: only if the changes since then
 * are still in the source's log or the journal. Immutable.
 */
sealed interface LoadStart {

  /** The first attempt. */
  FromBeginning FIRST = new FromBeginning("starts");

  /**
   * All tables are loaded from the beginning.
   *
   * @param why for the log
   */
  record FromBeginning(String why) implements LoadStart {
    @Override
    public String toString() {
      return why;
    }
  }

  /**
   * Complete tables and segments are kept.
   *
   * @param plan with the tables and segments that are kept
   * @param capturedFrom the slot's position
   */
  record GoOn(LoadPlan plan, Position capturedFrom) implements LoadStart {
    @Override
    public String toString() {
      List<LoadedTable> kept = plan.kept();
      List<TableId> names = kept.stream().map(LoadedTable::table).toList();
      List<String> parts =
          plan.parts().stream()
              .map(
                  part ->
                      "%d of %s of %s"
                          .formatted(
                              part.done(),
                              Counted.of(part.segments().size(), "segment"),
                              part.table()))
              .toList();
      long rows =
          kept.stream().mapToLong(LoadedTable::rows).sum()
              + plan.parts().stream().mapToLong(LoadedPart::rows).sum();
      return "continues: %s kept, %s, changes are captured from %s: %s %s; left to load: %s"
          .formatted(
              Counted.of(kept.size(), "table"),
              Counted.of(rows, "row"),
              capturedFrom,
              names,
              parts,
              plan.missing().names());
    }
  }

  /**
   * Decides how the load starts. If nothing is complete, it starts from the beginning, so that the
   * source need not keep its old log.
   *
   * @param claimed with the position from which changes are applied after the load
   * @param plan the tables as they are now
   * @param complete the tables that are complete on the target
   * @param parts the tables with complete segments
   * @param rule whether slot and journal have all changes since then; read only if needed
   */
  static LoadStart of(
      Checkpoint claimed,
      LoadPlan plan,
      List<LoadedTable> complete,
      List<LoadedPart> parts,
      Supplier<StartRule.Decision> rule) {
    if (claimed.journalTopicId().isEmpty()) {
      return FIRST;
    }
    LoadPlan kept = plan.keeping(complete, parts);
    if (kept.keepsNothing()) {
      return new FromBeginning(
          "starts from the beginning: no table or segment is complete and unchanged");
    }
    StartRule.Decision decision = rule.get();
    if (decision instanceof StartRule.Decision.Stop stop) {
      return new FromBeginning(
          "starts from the beginning, since the changes are no longer available: "
              + stop.problem());
    }
    StartRule.Decision.GoOn on = (StartRule.Decision.GoOn) decision;
    return on.offset().isPresent()
        ? new GoOn(kept, on.start())
        : new FromBeginning(
            "starts from the beginning: the journal is not the one that had its changes");
  }
}
