package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.source.load.Segment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class WaitingSegmentsTest {

  @Test
  void workersTakeDifferentTablesOfTheSameSize() {
    WaitingSegments waiting =
        waiting(
            SegmentPlans.table("a", 0, 3),
            SegmentPlans.table("b", 0, 3),
            SegmentPlans.table("c", 0, 3));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting))))
        .containsExactly("a", "b", "c");
  }

  @Test
  void aWorkerStaysWithItsTableAndThenTakesTheOneWithMostLeftForEachWorker() {
    WaitingSegments waiting =
        waiting(
            SegmentPlans.table("a", 0, 3),
            SegmentPlans.table("b", 0, 3),
            SegmentPlans.table("c", 0, 3));
    Optional<Segment> one = first(waiting);
    Optional<Segment> other = first(waiting);
    List<String> met = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      one = waiting.take(one);
      met.addAll(names(List.of(one)));
    }
    assertThat(met).containsExactly("a", "a", "c", "c");
    assertThat(names(List.of(other, waiting.take(other)))).containsExactly("b", "b");
  }

  @Test
  void severalWorkersAreAtATableThatIsMuchLargerThanTheOthers() {
    WaitingSegments waiting =
        waiting(SegmentPlans.table("large", 0, 9), SegmentPlans.table("small", 0, 2));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting), first(waiting))))
        .containsExactly("large", "large", "large", "small");
  }

  @Test
  void tablesOfALowerLoadOrderComeAfterAllOfAHigher() {
    WaitingSegments waiting =
        waiting(SegmentPlans.table("early", 1, 2), SegmentPlans.table("late", 0, 9));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting))))
        .containsExactly("early", "early", "late");
  }

  @Test
  void tablesWhoseSizeIsNotKnownComeInLoadOrder() {
    WaitingSegments waiting =
        waiting(
            SegmentPlans.table("b", 0, 1, 0),
            SegmentPlans.table("a", 0, 1, 0),
            SegmentPlans.table("c", 0, 1, 0));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting))))
        .containsExactly("b", "a", "c");
  }

  @Test
  void noMoreSegmentsOfARemovedTableAreGiven() {
    WaitingSegments waiting = waiting(SegmentPlans.table("a", 0, 3), SegmentPlans.table("b", 0, 1));
    Optional<Segment> before = first(waiting);
    waiting.remove(before.get().table());
    Optional<Segment> after = waiting.take(before);
    assertThat(names(List.of(after))).containsExactly("b");
    assertThat(waiting.take(after)).isEmpty();
  }

  @Test
  void parallelWorkersAreGivenEachSegmentOnce() throws Exception {
    WaitingSegments waiting =
        waiting(
            SegmentPlans.table("a", 1, 900),
            SegmentPlans.table("b", 0, 500),
            SegmentPlans.table("c", 0, 700));
    Callable<List<Segment>> worker =
        () -> {
          List<Segment> taken = new ArrayList<>();
          Optional<Segment> next = waiting.take(Optional.empty());
          while (next.isPresent()) {
            taken.add(next.get());
            next = waiting.take(next);
          }
          return taken;
        };
    ExecutorService workers = Executors.newFixedThreadPool(4);
    Set<Segment> all = new HashSet<>();
    int taken = 0;
    try {
      for (Future<List<Segment>> ended :
          workers.invokeAll(List.of(worker, worker, worker, worker))) {
        all.addAll(ended.get());
        taken += ended.get().size();
      }
    } finally {
      workers.shutdownNow();
    }
    assertThat(all).hasSize(2_100);
    assertThat(taken).isEqualTo(2_100);
  }

  private static Optional<Segment> first(WaitingSegments waiting) {
    return waiting.take(Optional.empty());
  }

  private static List<String> names(List<Optional<Segment>> segments) {
    return segments.stream().map(segment -> segment.orElseThrow().table().name()).toList();
  }

  private static WaitingSegments waiting(PlannedTable... tables) {
    return new WaitingSegments(new LoadPlan(List.of(tables)));
  }
}
