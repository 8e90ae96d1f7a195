package dev.sluice.sink.intake;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MappedBeforeImagesTest {
  private static final TableId TABLE = new TableId("s", "t");

  /** {@code x} is left out, {@code n} becomes a bigint called m; of bytea nothing is kept. */
  private static final ColumnNames NAMES =
      new ColumnNames() {
        @Override
        public Optional<String> of(TableId table, String column) {
          return column.equals("x")
              ? Optional.empty()
              : Optional.of(column.equals("n") ? "m" : column);
        }

        @Override
        public Optional<String> typeOf(TableId table, String column) {
          return column.equals("n") ? Optional.of("bigint") : Optional.empty();
        }

        @Override
        public Optional<String> beforeOf(TableId table, String column, String type, boolean key) {
          return type.equals("bytea") ? Optional.empty() : of(table, column).map(n -> "b_" + n);
        }
      };

  private static final RowSchema KEYED =
      schema(
          column("x", "text", false),
          column("id", "integer", true),
          column("n", "integer", false),
          column("data", "bytea", false),
          column("t", "text", false));

  private final MappedColumns mapped = new MappedColumns(fingerprint -> null, NAMES);

  @Test
  void eachColumnThatIsKeptHasWhatItWasBehindIt() {
    assertThat(MappedSchema.of(KEYED, NAMES).schema())
        .isEqualTo(
            schema(
                column("id", "integer", true),
                image("b_id", "integer"),
                column("m", "bigint", false),
                image("b_m", "bigint"),
                column("data", "bytea", false),
                column("t", "text", false),
                image("b_t", "text")));
    assertThat(MappedSchema.of(KEYED, NAMES).beforeImages())
        .containsExactlyInAnyOrder("b_id", "b_m", "b_t");
  }

  @Test
  void anUpdateHasTheOldKeyAndTheOldValuesAlsoThoseThatDidNotChange() {
    RowChange change =
        mapped(
            rowOf("1"),
            rowOf("x2", "2", null, "d2", "long"),
            new RowBuilder(16).add("x1").add("1").add("7").add("d1").addUnchanged().build());

    assertThat(change.match()).isEqualTo(rowOf("1"));
    assertThat(change.row()).isEqualTo(rowOf("2", "1", null, "7", "d2", "long", "long"));
    assertThat(change.before()).isNull();
  }

  @Test
  void anInsertHasNothingAndSaysSo() {
    assertThat(mapped(null, rowOf("x", "1", "7", "d", "t"), null).row())
        .isEqualTo(rowOf("1", null, "7", null, "d", "t", null));
  }

  @Test
  void aDeleteIsAsItWas() {
    RowChange change = mapped(rowOf("1"), null, null);

    assertThat(change.match()).isEqualTo(rowOf("1"));
    assertThat(change.row()).isNull();
  }

  @Test
  void theOldKeyIsKnownWithoutTheOldRow() {
    RowSchema keyOnly = schema(column("id", "integer", true), column("data", "bytea", false));
    RowChange change =
        (RowChange)
            mapped.mapped(
                new RowChange(
                    keyOnly, rowOf("1"), new RowBuilder(16).add("1").addUnchanged().build()));

    assertThat(change.row()).isEqualTo(new RowBuilder(16).add("1").add("1").addUnchanged().build());
  }

  @Test
  void anUpdateWhoseOldRowTheLogDidNotHaveIsAnErrorAndNeverAGuess() {
    Row row = rowOf("x", "1", "7", "d", "t");
    assertThatThrownBy(() -> mapped(rowOf("1"), row, null))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table s.t")
        .hasMessageContaining("ALTER TABLE \"s\".\"t\" REPLICA IDENTITY FULL");
    Row unknown = new RowBuilder(16).add("x").add("1").add("7").add("d").addUnchanged().build();
    assertThatThrownBy(() -> mapped(rowOf("1"), unknown, unknown))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("before-image column for t");
  }

  @Test
  void aTableWithoutAKeyHasNone() {
    RowSchema keyless = schema(column("a", "text", false), column("n", "text", false));
    RowChange change =
        (RowChange) mapped.mapped(new RowChange(keyless, rowOf("1", "2"), rowOf("3", "4")));

    assertThat(change.schema().columns()).extracting(Column::name).containsExactly("a", "m");
    assertThat(change.match()).isEqualTo(rowOf("1", "2"));
    assertThat(change.row()).isEqualTo(rowOf("3", "4"));
  }

  @Test
  void aTableThatIsAlteredIsSoWithWhatItsColumnsWere() {
    DefinitionChange change =
        altered(
            table(true, "id", "x", "n", "gone", "t"),
            table(true, "id", "x", "n", null, "renamed", "more"));

    assertThat(change.obstacle()).isNull();
    assertThat(names(change.before()))
        .containsExactly(
            "id 1", "b_id -1", "m 3", "b_m -3", "gone 4", "b_gone -4", "t 5", "b_t -5");
    assertThat(names(change.after()))
        .containsExactly(
            "id 1", "b_id -1", "m 3", "b_m -3", "renamed 5", "b_renamed -5", "more 6", "b_more -6");
    assertThat(change.after().columns().get(1))
        .isEqualTo(
            new ColumnDefinition(
                -1, "b_id", "integer", "23", null, false, Filling.DEFAULT, null, null, null));
  }

  @Test
  void generatedColumnsHaveNone() {
    TableDefinition after = table(true, "id");
    ColumnDefinition generated =
        new ColumnDefinition(
            2, "g", "integer", "23", null, false, Filling.GENERATED_STORED, "(1)", null, null);
    DefinitionChange change =
        altered(
            after,
            new TableDefinition(
                TABLE, null, null, List.of(1), List.of(after.columns().get(0), generated)));

    assertThat(names(change.after())).containsExactly("id 1", "b_id -1", "g 2");
  }

  @Test
  void aTableThatLosesItsKeyAndANameThatIsTakenOrTooLongAreObstacles() {
    assertThat(altered(table(true, "id"), table(false, "id")).obstacle())
        .contains("no primary key any more");
    assertThat(altered(table(true, "id"), table(true, "id", "b_id")).obstacle())
        .contains("b_id, which is another column's name");
    assertThat(altered(table(true, "id"), table(true, "id", "c".repeat(62))).obstacle())
        .contains("b_" + "c".repeat(62));
    assertThat(altered(table(true, "id"), table(true, "id", "c".repeat(61))).obstacle()).isNull();
  }

  private RowChange mapped(Row match, Row row, Row before) {
    return (RowChange) mapped.mapped(new RowChange(KEYED, match, row, before));
  }

  private DefinitionChange altered(TableDefinition before, TableDefinition after) {
    Definition definition =
        (Definition)
            mapped.mapped(
                new Definition(
                    new DefinitionChanges(
                        "ALTER TABLE",
                        true,
                        Map.of(),
                        List.of(),
                        List.of(new DefinitionChange(before, after, false, false, null)))));
    return definition.changes().changes().get(0);
  }

  private static List<String> names(TableDefinition definition) {
    return definition.columns().stream()
        .map(column -> column.name() + " " + column.number())
        .toList();
  }

  /**
   * @param keyed whether the first column is the key
   * @param columns by number from 1 on; null: dropped
   */
  private static TableDefinition table(boolean keyed, String... columns) {
    List<String> names = Arrays.asList(columns);
    return new TableDefinition(
        TABLE,
        null,
        null,
        keyed ? List.of(1) : List.of(),
        names.stream()
            .filter(name -> name != null)
            .map(
                name ->
                    new ColumnDefinition(
                        names.indexOf(name) + 1,
                        name,
                        "integer",
                        "23",
                        null,
                        keyed && names.indexOf(name) == 0,
                        Filling.DEFAULT,
                        null,
                        null,
                        null))
            .toList());
  }

  private static RowSchema schema(Column... columns) {
    return new RowSchema(TABLE, List.of(columns));
  }

  private static Column column(String name, String type, boolean key) {
    return new Column(name, type, true, key);
  }

  private static Column image(String name, String type) {
    return new Column(name, type, true, false, ColumnOrigin.withNull(0));
  }
}
