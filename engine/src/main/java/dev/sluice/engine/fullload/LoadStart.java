package dev.sluice.engine.fullload;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.slot.StartRule;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.LoadedTable;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.List;
import java.util.function.Supplier;

/**
 * Whether a load goes on with what an attempt before has left, decided from what the target
 * remembers and from whether the log since then is still to be had. Immutable.
 */
sealed interface LoadStart {

  /** There was no attempt before. */
  Anew ANEW = new Anew("begins");

  /**
   * Everything is loaded from the first row.
   *
   * @param why for people
   */
  record Anew(String why) implements LoadStart {
    @Override
    public String toString() {
      return why;
    }
  }

  /**
   * Tables and segments that are whole are kept.
   *
   * @param plan says which
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
      return "goes on: %s kept, %s, changes are captured from %s: %s %s; left to load: %s"
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
   * Decides. Without anything that is whole nothing is gained by going on, and the source need not
   * keep its log since then.
   *
   * @param claimed with the place from which changes were to be applied after the load
   * @param plan the tables as they are now
   * @param whole the tables that the target has whole
   * @param parts the tables of which it has segments
   * @param rule whether slot and journal have all changes since then; asked only where it matters
   */
  static LoadStart of(
      Checkpoint claimed,
      LoadPlan plan,
      List<LoadedTable> whole,
      List<LoadedPart> parts,
      Supplier<StartRule.Decision> rule) {
    if (claimed.journalTopicId().isEmpty()) {
      return ANEW;
    }
    LoadPlan kept = plan.keeping(whole, parts);
    if (kept.keepsNothing()) {
      return new Anew("begins again: nothing is whole that is still as it was");
    }
    StartRule.Decision decision = rule.get();
    if (decision instanceof StartRule.Decision.Stop stop) {
      return new Anew("begins again, as its changes are not to be had: " + stop.problem());
    }
    StartRule.Decision.GoOn on = (StartRule.Decision.GoOn) decision;
    return on.offset().isPresent()
        ? new GoOn(kept, on.start())
        : new Anew("begins again: the journal is not the one in which its changes were");
  }
}
