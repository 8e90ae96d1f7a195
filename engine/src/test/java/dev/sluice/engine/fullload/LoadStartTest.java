package dev.sluice.engine.fullload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.PlannedTable;
import dev.sluice.load.log.LoadedTable;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LoadStartTest {
  private static final TableId ITEMS = new TableId("app", "items");
  private static final TableId ORDERS = new TableId("app", "orders");
  private static final Position START = Position.parse("0/100");
  private static final Position CAPTURED = Position.parse("0/180");

  private static final Checkpoint CLAIMED =
      new Checkpoint(
          "task", 2, Position.ZERO, Position.ZERO, 0, 0, 0, Optional.empty(), Optional.empty());
  private static final Checkpoint BEGUN =
      CLAIMED.startingAt(START, 7, "topic", new Checkpoint.SourceServer("1", 1));
  private static final StartRule.Decision ALL_THERE =
      new StartRule.Decision.GoOn(CAPTURED, Optional.of(7L));

  private final LoadPlan plan = new LoadPlan(List.of(planned(ITEMS, "a"), planned(ORDERS, "b")));

  @Test
  void keepsTablesThatAreCompleteAndUnchanged() {
    LoadStart start = decide(BEGUN, ALL_THERE, loaded(ITEMS, "a"), loaded(ORDERS, "altered since"));

    assertThat(start).isInstanceOf(LoadStart.GoOn.class);
    LoadStart.GoOn on = (LoadStart.GoOn) start;
    assertThat(on.capturedFrom()).isEqualTo(CAPTURED);
    assertThat(on.plan().kept()).extracting(LoadedTable::table).containsExactly(ITEMS);
    assertThat(on.plan().missing().names()).containsExactly(ORDERS);
  }

  @Test
  void startsFromTheBeginningIfNothingWouldBeKept() {
    assertThat(decide(BEGUN, ALL_THERE)).isInstanceOf(LoadStart.FromBeginning.class);
    assertThat(decide(BEGUN, ALL_THERE, loaded(ITEMS, "altered since")))
        .isInstanceOf(LoadStart.FromBeginning.class);
    assertThat(decide(BEGUN, ALL_THERE, loaded(new TableId("app", "gone"), "a")))
        .isInstanceOf(LoadStart.FromBeginning.class);
  }

  @Test
  void startsFromTheBeginningIfTheChangesSinceAreGone() {
    StartRule.Decision stop =
        new StartRule.Decision.Stop(new Problem("slot", "does not exist", "the slot", ""));
    StartRule.Decision otherJournal = new StartRule.Decision.GoOn(CAPTURED, Optional.empty());

    assertThat(decide(BEGUN, stop, loaded(ITEMS, "a")).toString()).contains("does not exist");
    assertThat(decide(BEGUN, otherJournal, loaded(ITEMS, "a")))
        .isInstanceOf(LoadStart.FromBeginning.class);
  }

  @Test
  void withoutAJournalPositionItIsTheFirstLoad() {
    LoadStart start =
        LoadStart.of(
            CLAIMED,
            plan,
            List.of(loaded(ITEMS, "a")),
            List.of(),
            () -> {
              throw new AssertionError("asked");
            });

    assertThat(start).isEqualTo(LoadStart.FIRST);
  }

  private LoadStart decide(Checkpoint claimed, StartRule.Decision decision, LoadedTable... loaded) {
    return LoadStart.of(claimed, plan, List.of(loaded), List.of(), () -> decision);
  }

  private static PlannedTable planned(TableId table, String shape) {
    return new PlannedTable(
        new RecordedTable(table, 1, List.of(), List.of(), false, List.of()),
        0,
        shape,
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  private static LoadedTable loaded(TableId table, String shape) {
    return new LoadedTable(table, shape, START, 10, 100);
  }
}
