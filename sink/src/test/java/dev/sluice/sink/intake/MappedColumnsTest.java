package dev.sluice.sink.intake;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MappedColumnsTest {
  private static final TableId TABLE = new TableId("s", "t");

  /** Upper case for all but what begins with x, which is left out; {@code n} becomes a bigint. */
  private static final ColumnNames NAMES =
      new ColumnNames() {
        @Override
        public Optional<String> of(TableId table, String column) {
          return column.startsWith("x")
              ? Optional.empty()
              : Optional.of(column.toUpperCase(Locale.ROOT));
        }

        @Override
        public Optional<String> typeOf(TableId table, String column) {
          return column.equals("n") ? Optional.of("bigint") : Optional.empty();
        }
      };

  private final MappedColumns mapped = new MappedColumns(fingerprint -> null, NAMES);

  @Test
  void aKeyedRowHasTheTargetsColumnsAndItsKeyAsItWas() {
    RowSchema schema = schema(column("x1", false), column("id", true), column("n", false));
    RowChange change =
        (RowChange) mapped.mapped(new RowChange(schema, rowOf("1"), rowOf("secret", "2", "three")));

    assertThat(change.schema())
        .isEqualTo(
            new RowSchema(
                TABLE,
                List.of(
                    new Column("ID", "text", true, true), new Column("N", "bigint", true, false))));
    assertThat(change.match()).isEqualTo(rowOf("1"));
    assertThat(change.row()).isEqualTo(rowOf("2", "three"));
  }

  @Test
  void ofATableWithoutAKeyTheOldRowLosesItsColumnsToo() {
    RowSchema schema = schema(column("a", false), column("x", false), column("b", false));
    RowChange change =
        (RowChange)
            mapped.mapped(
                new RowChange(
                    schema,
                    rowOf("1", "old", "2"),
                    new RowBuilder(16).add("1").add("new").addUnchanged().build()));

    assertThat(change.match()).isEqualTo(rowOf("1", "2"));
    assertThat(change.row()).isEqualTo(new RowBuilder(16).add("1").addUnchanged().build());
  }

  @Test
  void aColumnOfTheKeyStays() {
    RowSchema schema = schema(column("x", true), column("a", false));
    RowChange change = (RowChange) mapped.mapped(new RowChange(schema, null, rowOf("1", "2")));

    assertThat(change.schema().columns()).extracting(Column::name).containsExactly("x", "A");
    assertThat(change.row()).isEqualTo(rowOf("1", "2"));
  }

  @Test
  void alteredTablesAreReportedInTheTargetsColumns() {
    DefinitionChange change =
        mapped(table("id", "x", "was"), table("id", "x2", "is", "more"), false);

    assertThat(change.before().columns())
        .extracting(ColumnDefinition::name)
        .containsExactly("ID", "WAS");
    assertThat(change.after().columns())
        .extracting(ColumnDefinition::name)
        .containsExactly("ID", "IS", "MORE");
    assertThat(change.obstacle()).isNull();
  }

  @Test
  void aColumnThatIsNoLongerRemovedIsAnObstacleSinceTheTargetLacksItsValues() {
    DefinitionChange change = mapped(table("id", "x"), table("id", "open"), false);

    assertThat(change.obstacle()).contains("open").contains("the target does not have its values");
  }

  @Test
  void anExpressionThatSpeaksOfARenamedColumnIsAnObstacle() {
    TableDefinition after =
        new TableDefinition(
            TABLE,
            null,
            null,
            List.of(),
            List.of(
                definition(1, "amount", Filling.DEFAULT, null),
                definition(2, "DOUBLE", Filling.GENERATED_STORED, "(amount * 2)")));

    assertThat(mapped(table("amount"), after, false).obstacle()).contains("amount");
  }

  /** The column of the target stays as it is. */
  @Test
  void aNewTypeWhoseValuesTheTypeOfARuleMayNotKeepIsAnObstacle() {
    assertThat(retyped("integer", "numeric(12,4)", false))
        .contains("column n was integer and became numeric(12,4), and a rule gives it type bigint");
    assertThat(retyped("integer", "smallint", true)).isNull();
  }

  @Test
  void whatACastMadeOfOlderValuesIsAnObstacleWhereARuleGivesTheType() {
    assertThat(retyped("numeric(10,2)", "bigint", true)).contains("a rule gives it type bigint");
    assertThat(retyped("numeric(10,2)", "bigint", false)).as("no row was written again").isNull();
  }

  private String retyped(String before, String after, boolean rewritten) {
    return mapped(new DefinitionChange(ofType(before), ofType(after), false, rewritten, null))
        .obstacle();
  }

  private static TableDefinition ofType(String type) {
    return new TableDefinition(
        TABLE,
        null,
        null,
        List.of(1),
        List.of(
            definition(1, "id", Filling.DEFAULT, null),
            new ColumnDefinition(
                2, "n", type, type, null, false, Filling.DEFAULT, null, null, null)));
  }

  private DefinitionChange mapped(TableDefinition before, TableDefinition after, boolean begins) {
    return mapped(new DefinitionChange(before, after, begins, false, null));
  }

  private DefinitionChange mapped(DefinitionChange change) {
    Definition definition =
        (Definition)
            mapped.mapped(
                new Definition(
                    new DefinitionChanges(
                        "ALTER TABLE", true, Map.of(), List.of(), List.of(change))));
    return definition.changes().changes().get(0);
  }

  private static TableDefinition table(String... columns) {
    return new TableDefinition(
        TABLE,
        null,
        null,
        List.of(1),
        IntStream.range(0, columns.length)
            .mapToObj(i -> definition(i + 1, columns[i], Filling.DEFAULT, null))
            .toList());
  }

  private static ColumnDefinition definition(
      int number, String name, Filling filling, String expression) {
    return new ColumnDefinition(
        number, name, "integer", "23", null, false, filling, expression, null, null);
  }

  private static RowSchema schema(Column... columns) {
    return new RowSchema(TABLE, List.of(columns));
  }

  private static Column column(String name, boolean key) {
    return new Column(name, "text", true, key);
  }
}
