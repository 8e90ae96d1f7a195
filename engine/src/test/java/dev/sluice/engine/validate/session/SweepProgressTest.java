package dev.sluice.engine.validate.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.SweepProgress.Next;
import dev.sluice.engine.validate.session.SweepProgress.Planned;
import dev.sluice.engine.validate.session.SweepProgress.Planner;
import dev.sluice.engine.validate.session.SweepProgress.Read;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SweepProgressTest {
  private static final SweepProgress.Weight NO_WEIGHT = (chunk, source, target) -> 0;

  private final SweepProgress progress =
      new SweepProgress(
          List.of(KeyRange.ALL), 2, false, SessionTime.starting(Duration.ofMinutes(10)));
  private final AtomicInteger keys = new AtomicInteger();

  /** Ends chunk after chunk at the next number. */
  private final Planner planner =
      (range, inBlocks) ->
          new Planned(
              new KeyRange(
                  range.after(), Optional.of(RowKey.of(String.valueOf(keys.incrementAndGet())))),
              List.of());

  private static Read read(Duration took) {
    return new Read(ChunkSums.NONE, List.of(), took);
  }

  private void readBySource(int number) {
    progress.sourceHas(number, read(Duration.ofMillis(1)), NO_WEIGHT);
  }

  private void readByTarget(int number) {
    progress.targetHas(number, read(Duration.ofMillis(1)), NO_WEIGHT);
  }

  private List<KeyRange> taken() {
    List<KeyRange> taken = new ArrayList<>();
    progress.forEach((chunk, source, target) -> taken.add(chunk.range()));
    return taken;
  }

  @Test
  void whatIsBehindAChunkThatOneSideHasNotReadDoesNotCount() throws Exception {
    List<Planned> planned = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Next next = progress.plan(0, planner).orElseThrow();
      assertThat(next.number()).isEqualTo(i);
      planned.add(next.chunk());
    }
    assertThat(planned.get(1).range().after()).isEqualTo(planned.get(0).range().upTo());
    for (int i = 0; i < 3; i++) {
      assertThat(progress.takeForTarget(0).orElseThrow().number()).isEqualTo(i);
    }
    readBySource(0);
    readBySource(2);
    readByTarget(0);
    readByTarget(1);
    readByTarget(2);

    assertThat(taken()).containsExactly(planned.get(0).range());

    readBySource(1);
    assertThat(taken()).hasSize(3);
  }

  @Test
  void aLaneLeavesWhenAChunkIsSlowAndTheFirstOneReadsOn() throws Exception {
    progress.plan(0, planner);
    progress.plan(0, planner);
    assertThat(progress.isWanted(1)).isTrue();
    assertThat(progress.plan(1, planner)).isPresent();

    progress.sourceHas(0, read(Duration.ofMinutes(2)), NO_WEIGHT);

    assertThat(progress.isWanted(1)).isFalse();
    assertThat(progress.plan(1, planner)).isEmpty();
    assertThat(progress.takeForTarget(1)).isEmpty();
    assertThat(progress.plan(0, planner)).isPresent();
    assertThat(progress.takeForTarget(0)).isPresent();
  }

  @Test
  void nothingIsPlannedAfterAStop() throws Exception {
    progress.plan(0, planner);
    progress.stop();

    assertThat(progress.plan(0, planner)).isEmpty();
    assertThat(progress.takeForTarget(0)).isEmpty();
  }
}
