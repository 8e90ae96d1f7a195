package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class FirstVacuumsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final TableId LARGE = new TableId("public", "large");
  private static final TableId SMALL = new TableId("public", "small");

  private final CountDownLatch largeEnds = new CountDownLatch(1);
  private final List<TableId> vacuumed = new CopyOnWriteArrayList<>();

  @Test
  void nobodyWaitsForALongVacuumAndEachTableHasOne() {
    try (FirstVacuums vacuums = new FirstVacuums(this::vacuum)) {
      assertThat(vacuums.isDone(LARGE)).isFalse();
      assertThat(vacuums.isDone(SMALL)).isFalse();
      assertThat(vacuums.isDone(LARGE)).isFalse();

      largeEnds.countDown();

      await().atMost(PATIENCE).until(() -> vacuums.isDone(LARGE) && vacuums.isDone(SMALL));
      assertThat(vacuumed).containsExactly(LARGE, SMALL);
    }
  }

  @Test
  void theEndDoesNotWaitForAVacuumInFlight() {
    try (FirstVacuums vacuums = new FirstVacuums(this::vacuum)) {
      vacuums.isDone(LARGE);
    }
    assertThat(largeEnds.getCount()).isEqualTo(1);
  }

  @Test
  void aTableThatCannotBeVacuumedIsReadAllTheSame() {
    try (FirstVacuums vacuums =
        new FirstVacuums(
            table -> {
              throw new IllegalStateException("no rights");
            })) {
      await().atMost(PATIENCE).until(() -> vacuums.isDone(SMALL));
    }
  }

  private void vacuum(TableId table) {
    vacuumed.add(table);
    if (table.equals(LARGE)) {
      try {
        largeEnds.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
