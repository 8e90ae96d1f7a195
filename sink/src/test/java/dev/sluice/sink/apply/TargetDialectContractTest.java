package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What any target must do. A dialect's test passes it on a server of its own. */
public abstract class TargetDialectContractTest {
  private static final RowSchema ITEM = schema("item", "*id int", "code int", "note text");

  /** The name of a table that must be quoted. */
  protected static final String ODD = "select \"from\" Ünïcode; --";

  private TargetLab lab;
  private BatchApplier applier;

  /** A new database of the dialect, with an empty schema {@code dst}. */
  protected abstract TargetLab newDatabase() throws SQLException;

  /**
   * Creates the table {@code item} in {@code dst}: id, a number and the key; code, a unique number;
   * note, a text of 1000 characters.
   */
  protected abstract void createItems(TargetLab lab) throws SQLException;

  /**
   * Creates the table {@link #ODD} in {@code dst}: {@code Key "one"}, a number and the key; {@code
   * group}, a text; {@code a'b}, a unique number.
   */
  protected abstract void createOdd(TargetLab lab) throws SQLException;

  /** The rows of that table, each as its columns with {@code |} between them. */
  protected abstract List<String> oddRows(TargetLab lab) throws SQLException;

  @BeforeEach
  void open() throws SQLException {
    lab = newDatabase();
    createItems(lab);
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  private List<String> items() throws SQLException {
    return lab.rows("SELECT * FROM dst.item ORDER BY id");
  }

  private ClosedWindow window(NetChange... changes) {
    return lab.window(net(keyed(ITEM, changes)));
  }

  private long appliedOffset() {
    return lab.store().read("task").orElseThrow().nextOffset();
  }

  @Test
  void rowsAndTheCheckpointCommitTogether() throws SQLException {
    lab.apply(applier, window(insert(row("1", "10", "a"))));
    long before = appliedOffset();
    assertThatThrownBy(
            () -> applier.apply(window(insert(row("2", "20", "b")), insert(row("3", "10", "c")))))
        .isInstanceOf(SluiceException.Data.class);
    assertThat(items()).containsExactly("1|10|a");
    assertThat(appliedOffset()).isEqualTo(before);
  }

  @Test
  void aCommittedWindowMovesTheCheckpoint() throws SQLException {
    long before = appliedOffset();
    applier.apply(window(insert(row("1", "10", "a"))));
    assertThat(items()).containsExactly("1|10|a");
    assertThat(appliedOffset()).isGreaterThan(before);
  }

  /** Below and above the size from which a set is staged. */
  @ParameterizedTest
  @ValueSource(ints = {2, 2_000})
  void changesOfRowsThatAreNotThereAreCounted(int rows) throws SQLException {
    lab.apply(applier, lab.window(net(new TableChanges.Keyed(ITEM, inserts(1, rows)))));
    List<NetChange> updates = new ArrayList<>();
    List<NetChange> deletes = new ArrayList<>();
    for (int id = 2; id <= rows + 1; id++) {
      updates.add(change(row("" + id), row("" + id, "" + id, "changed")));
      deletes.add(delete(row("" + id)));
    }
    for (List<NetChange> changes : List.of(updates, deletes)) {
      assertThatThrownBy(
              () -> lab.apply(applier, lab.window(net(new TableChanges.Keyed(ITEM, changes)))))
          .isInstanceOf(SluiceException.Data.class);
    }
    assertThat(items()).hasSize(rows).doesNotContain("2|2|changed");
  }

  /** Unique values go round in a ring, while keys change and rows come and go. */
  @ParameterizedTest
  @ValueSource(ints = {3, 2_000})
  void uniqueValuesAreExchangedBetweenRows(int rows) throws SQLException {
    lab.apply(applier, lab.window(net(new TableChanges.Keyed(ITEM, inserts(1, rows)))));
    List<NetChange> changes = new ArrayList<>();
    for (int id = 1; id <= rows; id++) {
      String code = "" + (id % rows + 1);
      String newId = "" + (id == 1 ? rows + 1 : id);
      changes.add(change(row("" + id), row(newId, code, "ring")));
    }
    applier.apply(lab.window(net(new TableChanges.Keyed(ITEM, changes))));
    assertThat(items())
        .hasSize(rows)
        .startsWith("2|3|ring")
        .contains(rows + "|1|ring")
        .endsWith((rows + 1) + "|2|ring");
  }

  @Test
  void aRejectedRowIsAnErrorOfItsData() {
    assertThatThrownBy(
            () ->
                applier.apply(
                    window(insert(row("1", "10", "a")), insert(row("2", "not a number", "b")))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("not a number");
  }

  @Test
  void namesAreQuoted() throws SQLException {
    createOdd(lab);
    RowSchema odd =
        new RowSchema(
            new TableId("src", ODD),
            List.of(
                new Column("Key \"one\"", "int", false, true, ColumnOrigin.withNull(0)),
                new Column("group", "text", true, false, ColumnOrigin.withNull(0)),
                new Column("a'b", "int", true, false, ColumnOrigin.withNull(0))));
    lab.apply(
        applier,
        lab.window(net(keyed(odd, insert(row("1", "x", "7")), insert(row("2", "y", "8"))))));
    applier.apply(
        lab.window(net(keyed(odd, change(row("1"), row("1", "z", "8")), delete(row("2"))))));
    assertThat(oddRows(lab)).containsExactly("1|z|8");
  }

  /** Texts that a bulk format or a literal must escape. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2_000})
  void everyTextArrivesAsItIs(int rows) throws SQLException {
    List<String> texts =
        List.of(
            "", " ", "\\N", "NULL", "\\", "\\.", "\t", "\n", "\r\n", "'", "\"", "{}", ",", "é😀");
    List<NetChange> changes = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int id = 0; id < Math.max(rows, texts.size() + 1); id++) {
      String text = id < texts.size() ? texts.get(id) : null;
      changes.add(insert(row("" + id, null, text)));
      expected.add(id + "|null|" + text);
    }
    applier.apply(lab.window(net(new TableChanges.Keyed(ITEM, changes))));
    assertThat(items()).isEqualTo(expected);
  }

  @Test
  void aSessionOfAnEarlierClaimCommitsNothing() throws SQLException {
    Checkpoint later = lab.store().claim("task");
    assertThatThrownBy(() -> applier.apply(window(insert(row("1", "10", "a")))))
        .isInstanceOf(SluiceException.class);
    assertThat(items()).isEmpty();
    try (BatchApplier next =
        lab.applier(lab.server(), later, new ApplySettings(TargetLab.STOPPING))) {
      next.apply(window(insert(row("1", "10", "a"))));
    }
    assertThat(items()).containsExactly("1|10|a");
  }

  private static List<NetChange> inserts(int from, int to) {
    List<NetChange> inserts = new ArrayList<>();
    for (int id = from; id <= to; id++) {
      inserts.add(insert(row("" + id, "" + id, "n")));
    }
    return inserts;
  }
}
