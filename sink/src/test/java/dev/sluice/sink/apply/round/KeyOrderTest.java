package dev.sluice.sink.apply.round;

import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.window.compaction.NetChange;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
  private static final RowSchema ONE = schema("one", "note text", "*id int");
  private static final RowSchema TWO = schema("two", "*a int", "note text", "*b int");
  private static final int MANY = 1_000;

  private static List<NetChange> inserts(IntStream ids) {
    return ids.mapToObj(id -> new NetChange(null, row("x", Integer.toString(id)))).toList();
  }

  private static List<String> texts(List<NetChange> changes, int column) {
    return changes.stream()
        .map(change -> (change.row() == null ? change.match() : change.row()).text(column))
        .toList();
  }

  @Test
  void numbersAreSortedAsNumbers() {
    List<NetChange> sorted =
        KeyOrder.of(ONE, inserts(IntStream.range(0, MANY).map(i -> i * 617 % MANY - 500)));
    assertThat(texts(sorted, 1))
        .isEqualTo(IntStream.range(-500, 500).mapToObj(Integer::toString).toList());
  }

  @Test
  void aSortedListIsReturnedUnchanged() {
    List<NetChange> ascending = inserts(IntStream.range(-5, MANY));
    assertThat(KeyOrder.of(ONE, ascending)).isSameAs(ascending);
  }

  @Test
  void oneUnsortedRowIsSorted() {
    List<NetChange> changes = new ArrayList<>(inserts(IntStream.range(0, MANY)));
    changes.add(new NetChange(row("-7"), row("x", "-7")));
    assertThat(texts(KeyOrder.of(ONE, changes), 1)).startsWith("-7", "0", "1").endsWith("999");
  }

  @Test
  void numbersFarApartAreSortedAsNumbers() {
    List<NetChange> changes = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      long far = (i % 2 == 0 ? 1 : -1) * (999_999_999_999_999_999L - i);
      changes.add(new NetChange(null, row("x", Long.toString(far))));
    }
    List<Long> sorted = texts(KeyOrder.of(ONE, changes), 1).stream().map(Long::valueOf).toList();
    assertThat(sorted).isSorted().hasSize(MANY).doesNotHaveDuplicates();
  }

  @Test
  void equalKeysAreAllKept() {
    List<NetChange> sorted =
        KeyOrder.of(ONE, inserts(IntStream.range(0, MANY).map(i -> (MANY - i) / 10)));
    assertThat(sorted.stream().distinct()).hasSize(101);
    assertThat(sorted).hasSize(MANY);
    assertThat(texts(sorted, 1).stream().map(Integer::valueOf)).isSorted();
  }

  @Test
  void equalFirstColumnsAreSortedByTheNext() {
    List<NetChange> changes =
        IntStream.range(0, MANY)
            .mapToObj(i -> new NetChange(row("1", Integer.toString(MANY - i)), null))
            .toList();
    assertThat(texts(KeyOrder.of(TWO, changes), 1))
        .isEqualTo(IntStream.rangeClosed(1, MANY).mapToObj(Integer::toString).toList());
  }
}
