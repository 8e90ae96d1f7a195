package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
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
    WaitingSegments waiting = waiting(table("a", 0, 3), table("b", 0, 3), table("c", 0, 3));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting))))
        .containsExactly("a", "b", "c");
  }

  @Test
  void aWorkerStaysWithItsTableAndThenTakesTheOneWithMostLeftForEachWorker() {
    WaitingSegments waiting = waiting(table("a", 0, 3), table("b", 0, 3), table("c", 0, 3));
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
    WaitingSegments waiting = waiting(table("large", 0, 9), table("small", 0, 2));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting), first(waiting))))
        .containsExactly("large", "large", "large", "small");
  }

  @Test
  void tablesOfALowerLoadOrderComeAfterAllOfAHigher() {
    WaitingSegments waiting = waiting(table("early", 1, 2), table("late", 0, 9));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting))))
        .containsExactly("early", "early", "late");
  }

  @Test
  void tablesWhoseSizeIsNotKnownComeInLoadOrder() {
    WaitingSegments waiting =
        waiting(planned("b", 0, 1, 0), planned("a", 0, 1, 0), planned("c", 0, 1, 0));
    assertThat(names(List.of(first(waiting), first(waiting), first(waiting))))
        .containsExactly("b", "a", "c");
  }

  @Test
  void noMoreSegmentsOfARemovedTableAreGiven() {
    WaitingSegments waiting = waiting(table("a", 0, 3), table("b", 0, 1));
    Optional<Segment> before = first(waiting);
    waiting.remove(before.get().table());
    Optional<Segment> after = waiting.take(before);
    assertThat(names(List.of(after))).containsExactly("b");
    assertThat(waiting.take(after)).isEmpty();
  }

  @Test
  void parallelWorkersAreGivenEachSegmentOnce() throws Exception {
    WaitingSegments waiting = waiting(table("a", 1, 900), table("b", 0, 500), table("c", 0, 700));
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

  /** A table with segments of one byte. */
  private static PlannedTable table(String name, int loadOrder, int segments) {
    return planned(name, loadOrder, segments, segments);
  }

  private static PlannedTable planned(String name, int loadOrder, int segments, long bytes) {
    TableId table = new TableId("app", name);
    RecordedLeaf leaf = new RecordedLeaf(table, 1, 1, List.of(), bytes, segments, true);
    List<Segment> all = new ArrayList<>();
    for (int i = 0; i < segments; i++) {
      all.add(new Segment(table, i, table, new Page(i)));
    }
    return new PlannedTable(
        new RecordedTable(table, 1, List.of(), List.of(), false, List.of(leaf)),
        loadOrder,
        "",
        all,
        Optional.empty(),
        Optional.empty());
  }

  private record Page(int number) implements SegmentRange {
    @Override
    public boolean isByValue() {
      return true;
    }
  }
}
