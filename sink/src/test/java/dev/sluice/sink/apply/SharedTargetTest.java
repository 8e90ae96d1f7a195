package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two source tables with the same target table: names on the target have no schema. */
class SharedTargetTest {
  private static final RowSchema ITEM = TargetLab.schema("item", "*id text", "name text");
  private static final TableId OTHER = new TableId("other", "item");
  private static final RowSchema OTHER_ITEM = new RowSchema(OTHER, ITEM.columns());
  private static final TableDefinition TABLE = TargetLab.table("item", "id", "name");

  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run("CREATE TABLE dst.item (id text PRIMARY KEY, name text)");
    applier = lab.applier(1000);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  @Test
  void theSecondSourceTableIsRefusedByNameAlsoAfterARestart() throws SQLException {
    apply(net(keyed(ITEM, insert(row("1", "a")))));
    Round second = net(keyed(OTHER_ITEM, insert(row("2", "b"))));
    refuses(second);
    applier.close();
    applier = lab.applier(1000);
    refuses(second);
    apply(net(keyed(ITEM, insert(row("3", "c")))));
    assertThat(items()).containsExactly("1|a", "3|c");
  }

  @Test
  void bothInOneWindowAreRefusedAndNothingIsApplied() throws SQLException {
    refuses(net(keyed(ITEM, insert(row("1", "a"))), keyed(OTHER_ITEM, insert(row("2", "b")))));
    assertThat(items()).isEmpty();
  }

  @Test
  void aTruncateOfTheSecondTableDoesNotEmptyTheFirst() throws SQLException {
    apply(net(keyed(ITEM, insert(row("1", "a")))));
    refuses(new Round.Net(List.of(new Emptied(OTHER, null)), List.of()));
    assertThat(items()).containsExactly("1|a");
  }

  @Test
  void aTableThatAnotherTaskAddedMeanwhileIsFoundForRows() throws SQLException {
    beginASessionAndMeetItemElsewhere();
    refuses(net(keyed(OTHER_ITEM, insert(row("2", "b")))));
    assertThat(items()).containsExactly("1|a");
  }

  @Test
  void aTableThatAnotherTaskAddedMeanwhileIsNotTruncated() throws SQLException {
    beginASessionAndMeetItemElsewhere();
    refuses(new Round.Net(List.of(new Emptied(OTHER, null)), List.of()));
    assertThat(items()).containsExactly("1|a");
  }

  private void beginASessionAndMeetItemElsewhere() throws SQLException {
    lab.run("CREATE TABLE dst.log (id text PRIMARY KEY)");
    apply(net(keyed(TargetLab.schema("log", "*id text"), insert(row("1")))));
    lab.run("INSERT INTO dst.item VALUES ('1', 'a')");
    try (TargetConnection connection = lab.server().connect()) {
      new RowShapeTable(TargetLab.CONTROL, "task")
          .write(connection, Map.of(ITEM.table(), Optional.of(ITEM)));
      connection.jdbc().commit();
    }
  }

  @Test
  void aTableMovedToAnotherSchemaIsTheSameTable() throws SQLException {
    apply(net(keyed(ITEM, insert(row("1", "a")))));
    applier.apply(definition("ALTER TABLE", TABLE));
    apply(net(keyed(OTHER_ITEM, insert(row("2", "b")))));
    assertThat(items()).containsExactly("1|a", "2|b");
  }

  /** The existing target table would count as created, and a DROP would drop it. */
  @Test
  void aCreatedTableWithTheTargetOfAnotherIsRefused() throws SQLException {
    apply(net(keyed(ITEM, insert(row("1", "a")))));
    refuses(definition("CREATE TABLE", null));
  }

  private ClosedWindow definition(String command, TableDefinition before) {
    TableDefinition after =
        new TableDefinition(OTHER, null, null, TABLE.key().columns(), TABLE.columns());
    return lab.windowOf(List.of(List.of(TargetLab.definition(command, before, after))));
  }

  private void apply(Round round) {
    applier.apply(lab.window(round));
  }

  private void refuses(Round round) {
    refuses(lab.window(round));
  }

  private void refuses(ClosedWindow window) {
    assertThatThrownBy(() -> lab.apply(applier, window))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("target table dst.item: has the rows of src.item")
        .hasMessageContaining("would get those of other.item");
  }

  private List<String> items() throws SQLException {
    return lab.rows("SELECT * FROM dst.item ORDER BY id");
  }
}
