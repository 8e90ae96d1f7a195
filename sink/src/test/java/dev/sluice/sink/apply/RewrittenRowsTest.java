package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.SQLException;
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

  @Test
  void aColumnThatComesExplainsTheRewrite() throws SQLException {
    apply(rewritten(TargetLab.table("item", "id", "n", "more"), false));
    assertThat(lab.rows("SELECT id, n, more FROM dst.item")).containsExactly("1|a|null");
  }

  private void apply(ChangeEvent change) throws SQLException {
    lab.apply(applier, lab.windowOf(List.of(List.of(change))));
  }

  private static ChangeEvent rewritten(TableDefinition after, boolean plainCasts) {
    return new Definition(
        new DefinitionChanges(
            "ALTER TABLE",
            plainCasts,
            Map.of(),
            List.of(),
            List.of(new DefinitionChange(ITEM, after, false, true, null))));
  }
}
