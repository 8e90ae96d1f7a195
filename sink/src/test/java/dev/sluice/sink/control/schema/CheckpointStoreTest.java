package dev.sluice.sink.control.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.control.task.TaskSteps;
import dev.sluice.sink.target.TestTarget;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CheckpointStoreTest {
  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  private static CheckpointStore created(String schema) {
    CheckpointStore store = new CheckpointStore(TARGET.server(), schema);
    store.create();
    return store;
  }

  @Test
  void eachClaimTakesTheNextEpochAndKeepsThePosition() {
    CheckpointStore store = created("claims");
    Checkpoint first = store.claim("orders");
    assertThat(first.epoch()).isEqualTo(1);
    assertThat(first.position()).isEqualTo(Position.ZERO);
    assertThat(first.journalTopicId()).isEmpty();
    store.write(
        first.startingAt(Position.parse("16/B374D848"), 77, "topic", new SourceServer("7301", 3)));
    Checkpoint second = store.claim("orders");
    assertThat(second)
        .isEqualTo(
            new Checkpoint(
                "orders",
                2,
                Position.parse("16/B374D848"),
                Position.parse("16/B374D848"),
                0,
                0,
                77,
                Optional.of("topic"),
                Optional.of(new SourceServer("7301", 3))));
    assertThat(store.read("orders")).contains(second);
  }

  @Test
  void aDaemonThatLostItsClaimCannotWrite() {
    CheckpointStore store = created("fencing");
    TaskSteps steps = new TaskSteps(TARGET.server(), "fencing");
    Checkpoint lost = store.claim("orders");
    Checkpoint held = store.claim("orders");
    assertThatThrownBy(() -> store.write(lost)).isInstanceOf(SluiceException.Fenced.class);
    assertThatThrownBy(() -> steps.record(lost, "load", "done", ""))
        .isInstanceOf(SluiceException.Fenced.class);
    steps.record(held, "load", "begun", "");
    assertThat(steps.read("orders", "load")).get().extracting(TaskStep::state).isEqualTo("begun");
  }

  @Test
  void thePreviousOwnerClaimsAgainOnlyIfNobodyElseHas() {
    CheckpointStore store = created("held");
    long held = store.claimAfter("orders", store.claim("orders").epoch()).epoch();
    assertThat(held).isEqualTo(2);

    Checkpoint others = store.claim("orders");

    assertThatThrownBy(() -> store.claimAfter("orders", held))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(store.read("orders")).contains(others);
    // A target that has lost the last claims, and one that has lost all.
    assertThat(store.claimAfter("orders", 7).epoch()).isEqualTo(4);
    assertThat(store.claimAfter("customers", 7).epoch()).isEqualTo(1);
    // The same where the journal shows which claims were lost.
    assertThat(store.claimAfter("orders", 7, 3).epoch()).isEqualTo(5);
    assertThat(store.claimAfter("orders", 7, 9).epoch()).isEqualTo(10);
  }

  @Test
  void stepsAreReplacedAndListedInTheOrderOfTheirLastWrite() {
    Checkpoint claimed = created("steps").claim("orders");
    TaskSteps steps = new TaskSteps(TARGET.server(), "steps");
    steps.record(claimed, "load", "begun", "");
    steps.record(claimed, "sequences", "done", "{\"set\": 3}");
    steps.record(claimed, "load", "done", "9 tables");
    assertThat(steps.all("orders"))
        .extracting(step -> step.step() + " " + step.state() + " " + step.detail())
        .containsExactly("sequences done {\"set\": 3}", "load done 9 tables");
    assertThat(steps.read("orders", "cutover")).isEmpty();
  }

  @Test
  void aTargetWithoutControlSchemaHasNoCheckpoint() {
    assertThat(new CheckpointStore(TARGET.server(), "absent").read("orders")).isEmpty();
    assertThat(new TaskSteps(TARGET.server(), "absent").all("orders")).isEmpty();
    new CheckpointStore(TARGET.server(), "absent").drop("orders");
  }

  @Test
  void aDroppedTaskIsDeletedAndOtherTasksAreNot() {
    CheckpointStore store = created("dropping");
    TaskSteps steps = new TaskSteps(TARGET.server(), "dropping");
    steps.record(store.claim("orders"), "load", "done", "");
    store.claim("customers");
    store.drop("orders");
    assertThat(store.read("orders")).isEmpty();
    assertThat(steps.all("orders")).isEmpty();
    assertThat(store.read("customers")).isPresent();
  }

  @Test
  void severalDaemonsMayCreateTheControlSchemaAtOnce() {
    List<CompletableFuture<Long>> claims =
        IntStream.range(0, 6)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> created("at \"once\"").claim("orders").epoch()))
            .toList();
    assertThat(claims.stream().map(CompletableFuture::join))
        .containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L);
  }
}
