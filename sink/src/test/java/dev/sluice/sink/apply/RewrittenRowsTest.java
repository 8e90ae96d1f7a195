package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements of the source that write the rows of a table again. */
class RewrittenRowsTest {
  private static final TableDefinition ITEM = TargetLab.table("item", "id", "n");

  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run(
        "CREATE TABLE dst.item (id text PRIMARY KEY, n text)",
        "INSERT INTO dst.item VALUES ('1', 'a')");
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  /** Such as ALTER TYPE text USING upper(n), which changes no definition. */
  @Test
  void valuesThatAStatementComputedInTheSameTypeAreRefused() {
    assertThatThrownBy(() -> apply(rewritten(ITEM, false)))
        .hasMessageContaining("its rows were written again by a statement");
  }

  @Test
  void aRewriteThatComputesNothingIsNoObstacle() throws SQLException {
    apply(rewritten(ITEM, true));
    lab.run("DELETE FROM dst.item");
    apply(rewritten(ITEM, false));
  }

  /** Such as ADD COLUMN more text, ALTER TYPE text USING upper(n). */
  @Test
  void aColumnThatComesDoesNotHideWhatTheSameStatementComputed() throws SQLException {
    TableDefinition more = TargetLab.table("item", "id", "n", "more");
    assertThatThrownBy(() -> apply(rewritten(more, false)))
        .hasMessageContaining("its rows were written again by a statement");
    apply(rewritten(more, true));
    assertThat(lab.rows("SELECT id, n, more FROM dst.item")).containsExactly("1|a|null");
  }

  @Test
  void theNewTypeOfAColumnThatIsComputedDoesNotHideIt() throws SQLException {
    lab.run("ALTER TABLE dst.item ADD COLUMN g text GENERATED ALWAYS AS (n || 'x') STORED");
    assertThatThrownBy(
            () -> apply(changed(with("text", "25/-1"), with("varchar(9)", "1043/13"), false)))
        .hasMessageContaining("its rows were written again by a statement");
  }

  /** A rule gives the column its type on the target, whatever it is on the source. */
  @Test
  void aTypeThatIsAnotherOneOnTheSourceOnlyDoesNotHideItEither() {
    ColumnDefinition n = ITEM.columns().get(1);
    TableDefinition after =
        new TableDefinition(
            ITEM.table(),
            null,
            null,
            List.of(1),
            List.of(
                ITEM.columns().get(0),
                new ColumnDefinition(
                    2, "n", n.type(), "20/-1", null, false, Filling.DEFAULT, null, null, null)));
    assertThatThrownBy(() -> apply(rewritten(after, false)))
        .hasMessageContaining("its rows were written again by a statement");
  }

  private static TableDefinition with(String type, String identity) {
    List<ColumnDefinition> columns = new ArrayList<>(ITEM.columns());
    columns.add(
        new ColumnDefinition(
            3,
            "g",
            type,
            identity,
            null,
            false,
            Filling.GENERATED_STORED,
            "(n || 'x'::text)",
            null,
            null));
    return new TableDefinition(ITEM.table(), null, null, List.of(1), columns);
  }

  private void apply(ChangeEvent change) throws SQLException {
    lab.apply(applier, lab.windowOf(List.of(List.of(change))));
  }

  private static ChangeEvent rewritten(TableDefinition after, boolean plainCasts) {
    return changed(ITEM, after, plainCasts);
  }

  private static ChangeEvent changed(
      TableDefinition before, TableDefinition after, boolean plainCasts) {
    return new Definition(
        new DefinitionChanges(
            "ALTER TABLE",
            plainCasts,
            Map.of(),
            List.of(),
            List.of(new DefinitionChange(before, after, false, true, null))));
  }
}
