package dev.sluice.sink.apply.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.sink.target.postgres.PostgresDialect;
import dev.sluice.sink.target.postgres.catalog.PostgresDdlStatements;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ShapeChangeTest {
  private static final DdlStatements DDL = PostgresDialect.INSTANCE.ddl();

  private static final RowSchema LAST =
      shape(column(1, "id", "int"), column(2, "a", "text"), column(3, "b", "text"));

  @Test
  void aNewColumnIsAddedAsNullableIfOlderRowsAreNull() {
    Column added = new Column("c", "int", true, false, ColumnOrigin.withNull(4));
    assertThat(change(with(added)))
        .containsExactly("ALTER TABLE \"dst\".\"t\" ADD COLUMN \"c\" int");
  }

  @Test
  void olderRowsGetTheirSourceValueAsALiteral() {
    Column added = new Column("c", "text", false, false, ColumnOrigin.withValue(4, "it's \\ 7"));
    assertThat(change(with(added)))
        .containsExactly(
            "ALTER TABLE \"dst\".\"t\" ADD COLUMN \"c\" text DEFAULT E'it''s \\\\ 7'::text",
            "ALTER TABLE \"dst\".\"t\" ALTER COLUMN \"c\" DROP DEFAULT");
  }

  @Test
  void aColumnWithUnknownOlderValuesIsRefusedByName() {
    Column added = new Column("c", "int", false, false, ColumnOrigin.of(4));
    assertThatThrownBy(() -> change(with(added)))
        .isInstanceOf(SluiceException.Table.class)
        .hasMessageContaining("column c is new")
        .hasMessageContaining("sluice reload")
        .hasMessageContaining("row_shape");
    TargetTable byHand =
        table(target("id", "int"), target("a", "text"), target("b", "text"), target("c", "int"));
    assertThat(ShapeChange.statements(DDL, Optional.of(LAST), with(added), byHand)).isEmpty();
  }

  @Test
  void aDroppedColumnIsDroppedAndTheTargetsOwnColumnsStay() {
    RowSchema now = shape(column(1, "id", "int"), column(3, "b", "text"));
    assertThat(ShapeChange.statements(DDL, Optional.of(LAST), now, table("id", "a", "b", "own")))
        .containsExactly("ALTER TABLE \"dst\".\"t\" DROP COLUMN \"a\"");
  }

  @Test
  void theSameColumnUnderAnotherNameIsRenamedAtAnyIndex() {
    RowSchema now = shape(column(1, "key", "int"), column(2, "a", "text"), column(3, "x", "text"));
    assertThat(change(now))
        .containsExactly(
            "ALTER TABLE \"dst\".\"t\" RENAME COLUMN \"id\" TO \"key\"",
            "ALTER TABLE \"dst\".\"t\" RENAME COLUMN \"b\" TO \"x\"");
  }

  @Test
  void aReplacedColumnIsAddedAndTheOldOneDropped() {
    Column added = new Column("x", "text", true, false, ColumnOrigin.withNull(4));
    RowSchema now = shape(column(1, "id", "int"), column(2, "a", "text"), added);
    assertThat(change(now))
        .containsExactly(
            "ALTER TABLE \"dst\".\"t\" DROP COLUMN \"b\"",
            "ALTER TABLE \"dst\".\"t\" ADD COLUMN \"x\" text");
  }

  @Test
  void aColumnRecreatedUnderTheSameNameIsRefused() {
    RowSchema now = shape(column(1, "id", "int"), column(2, "a", "text"), column(4, "b", "text"));
    assertThatThrownBy(() -> change(now))
        .isInstanceOf(SluiceException.Table.class)
        .hasMessageContaining("column b is another one than before");
  }

  @Test
  void exchangedNamesAreRefused() {
    RowSchema now = shape(column(1, "id", "int"), column(2, "b", "text"), column(3, "a", "text"));
    assertThatThrownBy(() -> change(now))
        .isInstanceOf(SluiceException.Table.class)
        .hasMessageContaining("names were exchanged");
  }

  @Test
  void withoutColumnNumbersAnotherNameIsAmbiguous() {
    for (RowSchema now :
        List.of(
            shape(column(1, "id", "int"), column(0, "x", "text"), column(3, "b", "text")),
            shape(column(0, "id", "int"), column(0, "a", "text"), column(0, "x", "text")))) {
      assertThatThrownBy(() -> change(now))
          .isInstanceOf(SluiceException.Table.class)
          .hasMessageContaining("source table src.t: was altered")
          .hasMessageContaining("renamed, or dropped and added?");
    }
  }

  @Test
  void anotherTypeIsRefusedUnlessTheTargetHasIt() {
    RowSchema now = shape(column(1, "id", "int"), column(2, "a", "int"), column(3, "b", "text"));
    assertThatThrownBy(() -> change(now)).hasMessageContaining("the type of column a became int");
    RowSchema renamed =
        shape(column(1, "id", "int"), column(2, "x", "int"), column(3, "b", "text"));
    assertThatThrownBy(() -> change(renamed))
        .hasMessageContaining("the type of column x became int");
    TargetTable altered = table(target("id", "int"), target("a", "int"), target("b", "text"));
    assertThat(ShapeChange.statements(DDL, Optional.of(LAST), now, altered)).isEmpty();
  }

  @Test
  void withoutAKnownRowSchemaAColumnThatMayBeRenamedIsRefused() {
    Column added = new Column("x", "text", true, false, ColumnOrigin.withNull(2));
    RowSchema now = shape(column(1, "id", "int"), added);
    assertThatThrownBy(() -> ShapeChange.statements(DDL, Optional.empty(), now, table("id", "a")))
        .hasMessageContaining("the target has others");
    assertThat(ShapeChange.statements(DDL, Optional.empty(), now, table("id"))).hasSize(1);
    assertThat(ShapeChange.statements(DDL, Optional.empty(), now, table("id", "x", "own")))
        .isEmpty();
  }

  @Test
  void nothingIsAlteredWhereThatWouldCommitTheWindow() {
    DdlStatements committing =
        new PostgresDdlStatements() {
          @Override
          public boolean isTransactional() {
            return false;
          }
        };
    RowSchema now = shape(column(1, "id", "int"), column(3, "b", "text"));
    assertThatThrownBy(
            () -> ShapeChange.statements(committing, Optional.of(LAST), now, table("id", "a", "b")))
        .isInstanceOf(SluiceException.Table.class)
        .hasMessageContaining("would commit the window");
    assertThat(ShapeChange.statements(committing, Optional.of(LAST), now, table("id", "b")))
        .isEmpty();

    assertThatThrownBy(() -> DefinitionStatements.requireTransaction(committing, "DROP TABLE t"))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("DROP TABLE t");
    DefinitionStatements.requireTransaction(DDL, "DROP TABLE t");
  }

  private static List<String> change(RowSchema now) {
    return ShapeChange.statements(
        DDL,
        Optional.of(LAST),
        now,
        table(target("id", "int"), target("a", "text"), target("b", "text")));
  }

  private static RowSchema with(Column added) {
    return shape(column(1, "id", "int"), column(2, "a", "text"), column(3, "b", "text"), added);
  }

  private static RowSchema shape(Column... columns) {
    return new RowSchema(new TableId("src", "t"), List.of(columns));
  }

  private static Column column(int number, String name, String type) {
    return new Column(name, type, number != 1, number == 1, ColumnOrigin.of(number));
  }

  private static TargetTable table(String... names) {
    return table(
        Arrays.stream(names).map(name -> target(name, "text")).toArray(TargetColumn[]::new));
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
        false,
        List.of());
  }

  private static TargetColumn target(String name, String type) {
    return new TargetColumn(
        name, 1, type, false, type, type, ',', "=", true, false, false, false, false, false);
  }
}
