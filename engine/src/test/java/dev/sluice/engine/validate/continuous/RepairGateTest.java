package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.context.TaskContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever closes the gate knows that no repair is in flight, or that one still is. */
class RepairGateTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir Path folder;

  @Test
  void whoClosesItWaitsForTheRepairInFlight() throws Exception {
    RepairGate gate = gate();
    gate.enter();
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    Thread closing =
        new Thread(
            () -> {
              try {
                closed.complete(gate.close(PATIENCE));
              } catch (InterruptedException e) {
                closed.completeExceptionally(e);
              }
            });
    closing.start();
    await().atMost(PATIENCE).until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    // The repair in flight ends at its next step.
    assertThatThrownBy(gate::requireOpen).isInstanceOf(SluiceException.Fatal.class);
    assertThat(closed).isNotDone();

    gate.leave();
    assertThat(closed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(gate::enter).hasMessageContaining("being cut over");
    gate.open();
    gate.enter();
  }

  @Test
  void itIsOpenAgainIfTheRepairDoesNotEndInTime() throws Exception {
    RepairGate gate = gate();
    gate.enter();
    assertThat(gate.close(Duration.ofMillis(1))).isFalse();
    assertThat(gate.isClosed()).isFalse();
    gate.requireOpen();
  }

  @Test
  void itStaysClosedForACutoverThatMayBeDecidedUntilItIsKnownNotToBe() throws Exception {
    RepairGate gate = gate();
    assertThat(gate.close(PATIENCE)).isTrue();
    RepairPause pause = new RepairPause(gate);
    pause.keep();
    pause.close();
    assertThat(gate.isClosed()).isTrue();
    pause.giveUp();
    assertThat(gate.isClosed()).isFalse();
  }

  /** Of a task whose servers are asked nothing. */
  private RepairGate gate() throws Exception {
    return new RepairGate(
        TaskContext.of(
            TaskFile.read(
                Files.writeString(
                    folder.resolve("shop.yaml"),
                    """
                    task: shop
                    migration-type: cdc
                    source: {type: postgresql, url: "postgresql://postgres@127.0.0.1:1/shop"}
                    target: {type: postgresql, url: "postgresql://postgres@127.0.0.1:2/shop"}
                    data-dir: %s
                    table-mappings:
                      rules:
                        - rule-type: selection
                          rule-id: "1"
                          rule-name: all
                          rule-action: include
                          object-locator: { schema-name: "%%", table-name: "%%" }
                    """
                        .formatted(folder.resolve("data"))))));
  }
}
