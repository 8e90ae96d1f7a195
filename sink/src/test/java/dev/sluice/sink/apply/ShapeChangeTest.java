package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ShapeChangeTest {
  private static final RowSchema LAST = schema("t", "*id int", "a text", "b text");

  @Test
  void aColumnThatComesIsAddedAsNullable() {
    assertThat(change(schema("t", "*id int", "a text", "b text", "c int"), "id", "a", "b"))
        .containsExactly("ALTER TABLE \"dst\".\"t\" ADD COLUMN \"c\" int");
  }

  @Test
  void aColumnThatGoesIsDroppedAndTheTargetsOwnStay() {
    assertThat(change(schema("t", "*id int", "b text"), "id", "a", "b", "own"))
        .containsExactly("ALTER TABLE \"dst\".\"t\" DROP COLUMN \"a\"");
  }

  @Test
  void anotherNameInTheMidstIsARename() {
    assertThat(change(schema("t", "*id int", "x text", "b text"), "id", "a", "b"))
        .containsExactly("ALTER TABLE \"dst\".\"t\" RENAME COLUMN \"a\" TO \"x\"");
  }

  @Test
  void severalOtherNamesInTheMidstAreRenamesEachOfItsOwn() {
    assertThat(change(schema("t", "*key int", "x text", "b text"), "id", "a", "b"))
        .containsExactly(
            "ALTER TABLE \"dst\".\"t\" RENAME COLUMN \"id\" TO \"key\"",
            "ALTER TABLE \"dst\".\"t\" RENAME COLUMN \"a\" TO \"x\"");
  }

  @Test
  void anotherNameAtTheEndOrOfAnotherTypeCanBeReadInSeveralWays() {
    for (RowSchema now :
        List.of(
            schema("t", "*id int", "a text", "x text"),
            schema("t", "*id int", "x int", "b text"),
            schema("t", "*id int", "x text", "y text"))) {
      assertThatThrownBy(() -> change(now, "id", "a", "b"))
          .isInstanceOf(SluiceException.Table.class)
          .hasMessageContaining("source table src.t: was altered")
          .hasMessageContaining("renamed, or dropped and added?");
    }
  }

  @Test
  void anotherTypeIsRefusedUnlessTheTargetHasItAlready() {
    RowSchema now = schema("t", "*id int", "a int", "b text");
    assertThatThrownBy(() -> change(now, "id", "a", "b"))
        .hasMessageContaining("the type of column a became int");
    TargetTable altered = table(column("id", "int"), column("a", "int"), column("b", "text"));
    assertThat(ShapeChange.statements(Optional.of(LAST), now, altered)).isEmpty();
  }

  @Test
  void afterARestartAColumnThatMayBeARenamedOneIsRefused() {
    RowSchema now = schema("t", "*id int", "x text");
    assertThatThrownBy(() -> ShapeChange.statements(Optional.empty(), now, table("id", "a")))
        .hasMessageContaining("the target has others");
    assertThat(ShapeChange.statements(Optional.empty(), now, table("id"))).hasSize(1);
    assertThat(ShapeChange.statements(Optional.empty(), now, table("id", "x", "own"))).isEmpty();
  }

  private static List<String> change(RowSchema now, String... columns) {
    return ShapeChange.statements(Optional.of(LAST), now, table(columns));
  }

  private static TargetTable table(String... names) {
    return table(
        Arrays.stream(names).map(name -> column(name, "text")).toArray(TargetColumn[]::new));
  }

  private static TargetTable table(TargetColumn... columns) {
    return new TargetTable(
        new TableId("dst", "t"),
        1,
        false,
        List.of(columns),
        List.of(),
        Set.of(),
        List.of(),
        Set.of(),
        List.of(),
        List.of(),
        true,
        false);
  }

  private static TargetColumn column(String name, String type) {
    return new TargetColumn(
        name, 1, type, false, type, type, ',', "=", true, false, false, false, false);
  }
}
