package dev.sluice.sink.control.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.validation.RereadPoint.JournalState;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TestTarget;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a start takes over of the validation, and what voids it in the same transaction. */
class RereadStoreTest {
  private static final String CONTROL = "sluice_control";
  private static final TableId ITEM = new TableId("public", "item");
  private static final TableId WORD = new TableId("public", "word");
  private static final JournalOffset PLACE = new JournalOffset(new Position(70), 3, 4, 50);
  private static final JournalState STATE = new JournalState("topic", new SourceServer("1", 2), 3);
  private static final Map<TableId, Optional<Position>> BOTH =
      Map.of(ITEM, Optional.of(new Position(60)), WORD, Optional.of(new Position(61)));

  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  @Test
  void aStartReadsWhatWasStored() {
    Checkpoint claimed = followed("read");
    assertThat(store("read").read())
        .contains(
            new RereadPoint(PLACE, STATE, Map.of(ITEM, new Position(60), WORD, new Position(61))));
    claim("read");
    assertThat(store("read").read()).isPresent();
    assertThatThrownBy(() -> store("read").store(claimed, PLACE, STATE, Map.of(), any -> true))
        .isInstanceOf(SluiceException.Fenced.class);
  }

  @Test
  void whatASessionStoresLaterKeepsIt() {
    Checkpoint claimed = followed("session");
    coverage("session", claimed, ITEM);
    assertThat(tables("session")).containsOnlyKeys(ITEM, WORD);
  }

  @Test
  void aTableThatALaterDaemonDoesNotKnowDoesNotCountAnyMore() {
    followed("later");
    Checkpoint next = claim("later");
    store("later").store(next, PLACE, STATE, Map.of(ITEM, BOTH.get(ITEM)), any -> true);
    assertThat(tables("later")).containsOnlyKeys(ITEM);
  }

  @Test
  void aTableWithoutCoverageIsNotStored() {
    Checkpoint claimed = claim("none");
    assertThat(store("none").store(claimed, PLACE, STATE, BOTH, any -> true)).isEmpty();
    assertThat(tables("none")).isEmpty();
  }

  @Test
  void aTableWhoseRowsWereLoadedMeanwhileIsNotStored() {
    Checkpoint claimed = followed("loaded");
    Set<TableId> stored =
        store("loaded").store(claimed, PLACE, STATE, BOTH, table -> table.equals(WORD));
    assertThat(stored).containsExactly(WORD);
    assertThat(tables("loaded")).containsOnlyKeys(WORD);
  }

  @Test
  void aSuspendedTableIsVoidAndIsNotStoredAgain() throws SQLException {
    Checkpoint claimed = followed("suspended");
    try (TargetConnection connection = TARGET.server().connect()) {
      new SuspendedTables(CONTROL, "suspended")
          .add(
              connection,
              List.of(
                  new SuspendedTable(
                      ITEM,
                      SuspensionState.RELOADING,
                      "a reload",
                      Instant.EPOCH,
                      PLACE,
                      PLACE.position(),
                      true,
                      true)),
              List.of(ITEM));
      connection.jdbc().commit();
    }
    assertThat(tables("suspended")).containsOnlyKeys(WORD);
    assertThat(store("suspended").store(claimed, PLACE, STATE, BOTH, any -> true))
        .containsExactly(WORD);
    assertThat(tables("suspended")).containsOnlyKeys(WORD);
  }

  @Test
  void aRepairedTableIsVoid() throws SQLException {
    followed("repaired");
    try (TargetConnection connection = TARGET.server().connect()) {
      new ValidationStore(TARGET.server(), CONTROL, "repaired")
          .repaired(connection, ITEM, List.of(), "id");
      connection.jdbc().commit();
    }
    assertThat(tables("repaired")).containsOnlyKeys(WORD);
  }

  @Test
  void aCheckpointThatIsSetVoidsEverything() {
    Checkpoint claimed = followed("set");
    new CheckpointStore(TARGET.server(), CONTROL).write(claimed);
    assertThat(store("set").read()).isEmpty();
  }

  @Test
  void aTargetThatWasSetBackVoidsEverything() {
    Checkpoint claimed = followed("back");
    new CheckpointStore(TARGET.server(), CONTROL).claimAfter("back", claimed.epoch(), 7);
    assertThat(store("back").read()).isEmpty();
  }

  @Test
  void whatIsForgottenIsVoid() {
    Checkpoint claimed = followed("forgotten");
    store("forgotten").forget(claimed, List.of(WORD));
    assertThat(tables("forgotten")).containsOnlyKeys(ITEM);
    store("forgotten").forget(claimed);
    assertThat(store("forgotten").read()).isEmpty();
  }

  private static Checkpoint followed(String task) {
    Checkpoint claimed = claim(task);
    coverage(task, claimed, ITEM, WORD);
    assertThat(store(task).store(claimed, PLACE, STATE, BOTH, any -> true))
        .containsExactlyInAnyOrder(ITEM, WORD);
    return claimed;
  }

  private static void coverage(String task, Checkpoint claimed, TableId... tables) {
    for (TableId table : tables) {
      new ValidationStore(TARGET.server(), CONTROL, task)
          .store(
              claimed,
              List.of(new Outcome(TableCoverage.none(table, "shape"), List.of(), List.of())));
    }
  }

  private static Map<TableId, Position> tables(String task) {
    return store(task).read().orElseThrow().tables();
  }

  private static Checkpoint claim(String task) {
    CheckpointStore checkpoints = new CheckpointStore(TARGET.server(), CONTROL);
    checkpoints.create();
    return checkpoints.claim(task);
  }

  private static RereadStore store(String task) {
    return new RereadStore(TARGET.server(), CONTROL, task);
  }
}
