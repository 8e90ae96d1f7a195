package dev.sluice.engine.load.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CompletionQueueTest {
  private static final TableId ORDERS = new TableId("shop", "orders");
  private static final TableId LINES = new TableId("shop", "lines");

  private final List<StoredStep> steps = new ArrayList<>();

  @Test
  void noStepStartsBeforeItsTableHasAllRows() {
    StoredStep index = table(ORDERS, 0);
    StoredStep other = table(LINES, 0);
    CompletionQueue queue = new CompletionQueue(steps, false);
    assertThat(queue.next()).isEmpty();

    queue.rowsWhole(LINES);

    assertThat(queue.next()).contains(other);
    assertThat(queue.next()).isEmpty();
    queue.rowsWhole(ORDERS);
    assertThat(queue.next()).contains(index);
  }

  @Test
  void aTablesIndexesAreBuiltAtTheSameTimeAndItsLastStepAfterAll() {
    StoredStep first = table(ORDERS, 0);
    StoredStep second = table(ORDERS, 0);
    StoredStep last = table(ORDERS, 1);
    CompletionQueue queue = whole();

    assertThat(queue.next()).contains(first);
    assertThat(queue.next()).contains(second);
    queue.ended(first);
    assertThat(queue.next()).isEmpty();
    queue.ended(second);
    assertThat(queue.next()).contains(last);
  }

  @Test
  void whereATableMayHaveOneStepInFlightTheOthersOfItWaitAndThoseOfOtherTablesDoNot() {
    StoredStep first = table(ORDERS, 0);
    StoredStep second = table(ORDERS, 0);
    StoredStep other = table(LINES, 0);
    CompletionQueue queue = new CompletionQueue(steps, true);
    queue.allRowsWhole();

    assertThat(queue.next()).contains(first);
    assertThat(queue.next()).contains(other);
    assertThat(queue.next()).isEmpty();
    queue.ended(first);
    assertThat(queue.next()).contains(second);
  }

  @Test
  void whereATableMayHaveOneStepInFlightAForeignKeyWaitsForThatOfItsOtherTable() {
    StoredStep first = reference(ORDERS, LINES);
    StoredStep back = reference(LINES, ORDERS);
    CompletionQueue queue = new CompletionQueue(steps, true);
    queue.allRowsWhole();

    assertThat(queue.next()).contains(first);
    assertThat(queue.next()).isEmpty();
    queue.ended(first);
    assertThat(queue.next()).contains(back);
  }

  @Test
  void constraintsAreCreatedInTheirOrderWhateverTheirTable() {
    StoredStep first = constraint(ORDERS, 0);
    StoredStep second = constraint(LINES, 1);
    CompletionQueue queue = whole();

    assertThat(queue.next()).contains(first);
    assertThat(queue.next()).isEmpty();
    queue.ended(first);
    assertThat(queue.next()).contains(second);
  }

  @Test
  void doneAndSkippedStepsAreNotRepeatedAndFailedOnesAreTriedAgain() {
    step(ORDERS, Stage.TABLE, 0, State.DONE);
    step(ORDERS, Stage.TABLE, 0, State.SKIPPED);
    StoredStep failed = step(ORDERS, Stage.TABLE, 0, State.FAILED);
    CompletionQueue queue = whole();

    assertThat(queue.next()).contains(failed);
    assertThat(queue.isEmpty()).isFalse();
    queue.ended(failed);
    assertThat(queue.isEmpty()).isTrue();
  }

  private CompletionQueue whole() {
    CompletionQueue queue = new CompletionQueue(steps, false);
    queue.allRowsWhole();
    return queue;
  }

  private StoredStep table(TableId table, int place) {
    return step(table, Stage.TABLE, place, State.WAITING);
  }

  private StoredStep constraint(TableId table, int place) {
    return step(table, Stage.CONSTRAINTS, place, State.WAITING);
  }

  private StoredStep reference(TableId table, TableId other) {
    return add(
        CompletionStep.of(table, Stage.CONSTRAINTS, 0, Kind.INDEX, "step", List.of())
            .referencing(other),
        State.WAITING);
  }

  private StoredStep step(TableId table, Stage stage, int place, State state) {
    return add(CompletionStep.of(table, stage, place, Kind.INDEX, "step", List.of()), state);
  }

  private StoredStep add(CompletionStep added, State state) {
    StoredStep step =
        new StoredStep(steps.size() + 1, added, state, "", Optional.empty(), Optional.empty());
    steps.add(step);
    return step;
  }
}
