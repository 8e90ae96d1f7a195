package dev.sluice.sink.window.compaction;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static dev.sluice.sink.JournalScript.ITEMS;
import static dev.sluice.sink.JournalScript.delete;
import static dev.sluice.sink.JournalScript.insert;
import static dev.sluice.sink.JournalScript.move;
import static dev.sluice.sink.JournalScript.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import java.util.List;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;

final class NetRowsTest {
  private final NetRows rows = new NetRows(ITEMS);

  @Test
  void insertAndUpdateLeaveAnInsert() {
    assertLeft(insert(1, "a"), update(1, "b")).containsExactly(net(null, rowOf("1", "b")));
  }

  @Test
  void insertAndDeleteLeaveNothing() {
    assertLeft(insert(1, "a"), delete(1)).isEmpty();
    assertThat(rows.retainedBytes()).isZero();
  }

  @Test
  void deleteAndInsertOfTheSameKeyStayTwoSinceTheyAreTwoRows() {
    assertLeft(delete(1), insert(1, "b"))
        .containsExactly(net(rowOf("1"), null), net(null, rowOf("1", "b")));
  }

  @Test
  void aChainOfKeyChangesLeavesOne() {
    assertLeft(move(1, 2, "a"), move(2, 3, "b")).containsExactly(net(rowOf("1"), rowOf("3", "b")));
  }

  @Test
  void aKeyChangeThatReturnsLeavesAnUpdate() {
    assertLeft(move(1, 2, "a"), move(2, 1, "b")).containsExactly(net(rowOf("1"), rowOf("1", "b")));
    NetRows updated = new NetRows(ITEMS);
    updated.add(update(1, "b"));
    assertThat(rows.retainedBytes()).isEqualTo(updated.retainedBytes());
  }

  @Test
  void aKeyChangeThenADeleteLeavesADeleteOfTheOldKey() {
    assertLeft(move(1, 2, "a"), delete(2)).containsExactly(net(rowOf("1"), null));
  }

  @Test
  void aRowMayComeUnderTheKeyOfADeletedOne() {
    assertLeft(delete(2), move(1, 2, "a"))
        .containsExactlyInAnyOrder(net(rowOf("2"), null), net(rowOf("1"), rowOf("2", "a")));
  }

  @Test
  void twoRowsMaySwapTheirKeysThroughAThirdKey() {
    assertLeft(move(1, 9, "a"), move(2, 1, "b"), move(9, 2, "a"))
        .containsExactlyInAnyOrder(
            net(rowOf("1"), rowOf("2", "a")), net(rowOf("2"), rowOf("1", "b")));
  }

  @Test
  void anUnchangedValueIsCarriedFromTheEarlierChange() {
    assertLeft(update(1, "a"), new RowChange(ITEMS, rowOf("1"), nameUnchanged("1")))
        .containsExactly(net(rowOf("1"), rowOf("1", "a")));
  }

  @Test
  void aValueUnchangedInAllChangesStaysUnchangedThroughAKeyChange() {
    assertLeft(new RowChange(ITEMS, rowOf("1"), nameUnchanged("2")))
        .containsExactly(net(rowOf("1"), nameUnchanged("2")));
  }

  @Test
  void anUnchangedKeyValueIsTheMatchedOne() {
    Row keyUnchanged = new RowBuilder(16).addUnchanged().add("b").build();
    assertLeft(new RowChange(ITEMS, rowOf("1"), keyUnchanged), update(1, "c"))
        .containsExactly(net(rowOf("1"), rowOf("1", "c")));
  }

  @Test
  void changesThatCannotFollowEachOtherAreNotTakenAndChangeNothing() {
    rows.add(insert(1, "a"));
    rows.add(delete(2));
    rows.add(update(3, "c"));
    long retained = rows.retainedBytes();
    for (RowChange change :
        List.of(insert(1, "b"), delete(2), update(2, "b"), move(3, 1, "c"), insert(3, "b"))) {
      assertThatThrownBy(() -> rows.add(change)).isInstanceOf(DoesNotFollow.class);
    }
    assertThat(rows.retainedBytes()).isEqualTo(retained);
    assertThat(((TableChanges.Keyed) rows.build()).changes())
        .containsExactlyInAnyOrder(
            net(null, rowOf("1", "a")), net(rowOf("2"), null), net(rowOf("3"), rowOf("3", "c")));
  }

  @Test
  void anInsertWithoutAllItsValuesStopsTheTask() {
    assertThatThrownBy(() -> rows.add(new RowChange(ITEMS, null, nameUnchanged("1"))))
        .isInstanceOf(SluiceException.Fatal.class);
  }

  private ListAssert<NetChange> assertLeft(RowChange... changes) {
    for (RowChange change : changes) {
      rows.add(change);
    }
    TableChanges.Keyed left = (TableChanges.Keyed) rows.build();
    assertThat(rows.netChanges()).isEqualTo(left.count());
    return assertThat(left.changes());
  }

  private static Row nameUnchanged(String id) {
    return new RowBuilder(16).add(id).addUnchanged().build();
  }

  private static NetChange net(Row match, Row row) {
    return new NetChange(match, row);
  }
}
