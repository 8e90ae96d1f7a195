package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Columns that the source computes in another way, or not any more. */
class AlteredGenerationTest {
  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  private void make(String generated) throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, n int, g " + generated + ")",
        "INSERT INTO dst.item VALUES (1, 5)");
  }

  /** PostgreSQL writes no rows for it, since it has none of its values. */
  @Test
  void aColumnThatIsComputedWhenItIsReadGetsItsNewExpression() throws SQLException {
    make("int GENERATED ALWAYS AS (n * 2) VIRTUAL");
    apply(
        item("n", computed(Filling.GENERATED_VIRTUAL, "(n * 2)")),
        item("n", computed(Filling.GENERATED_VIRTUAL, "(n * 3)")));
    assertThat(lab.rows("SELECT g FROM dst.item")).containsExactly("15");
  }

  @Test
  void theNewNameOfAColumnInItIsNoNewExpression() throws SQLException {
    make("int GENERATED ALWAYS AS (n * 2) VIRTUAL");
    apply(
        item("n", computed(Filling.GENERATED_VIRTUAL, "(n * 2)")),
        item("m", computed(Filling.GENERATED_VIRTUAL, "(m * 2)")));
    assertThat(lab.rows("SELECT m, g FROM dst.item")).containsExactly("5|10");
    assertThat(
            lab.rows(
                "SELECT attnum FROM pg_attribute WHERE attrelid = 'dst.item'::regclass"
                    + " AND attname = 'g'"))
        .as("it was not made again")
        .containsExactly("3");
  }

  /** As DROP EXPRESSION and TYPE of one statement. */
  @Test
  void aColumnThatBecomesPlainGetsItsNewTypeToo() throws SQLException {
    make("numeric(10,1) GENERATED ALWAYS AS (n / 2.0) STORED");
    apply(
        item("n", column(3, "g", "numeric(10,1)", Filling.GENERATED_STORED, "(n / 2.0)")),
        item("n", column(3, "g", "numeric(10,3)", Filling.DEFAULT, null)));
    lab.run("UPDATE dst.item SET g = 2.345");
    assertThat(lab.rows("SELECT g FROM dst.item")).containsExactly("2.345");
  }

  private void apply(TableDefinition before, TableDefinition after) throws SQLException {
    lab.apply(
        applier,
        lab.windowOf(List.of(List.of(TargetLab.definition("ALTER TABLE", before, after)))));
  }

  private static TableDefinition item(String second, ColumnDefinition third) {
    return new TableDefinition(
        new TableId("src", "item"),
        null,
        null,
        List.of(1),
        List.of(
            column(1, "id", "integer", Filling.DEFAULT, null),
            column(2, second, "integer", Filling.DEFAULT, null),
            third));
  }

  private static ColumnDefinition computed(Filling filling, String expression) {
    return column(3, "g", "integer", filling, expression);
  }

  private static ColumnDefinition column(
      int number, String name, String type, Filling filling, String expression) {
    return new ColumnDefinition(
        number, name, type, type, null, number == 1, filling, expression, null, null);
  }
}
