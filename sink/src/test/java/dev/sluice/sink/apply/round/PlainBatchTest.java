package dev.sluice.sink.apply.round;

import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static dev.sluice.sink.apply.TargetLab.toasted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Changes in order of tables where nothing can tell whether they are applied as sets. A window that
 * the target rejects is read again; so the number of such windows shows what reached the target.
 */
class PlainBatchTest {
  private static final RowSchema ITEM = schema("item", "*id integer", "code integer", "note text");
  private static final RowSchema LINE = schema("line", "a integer", "b text");
  private static final int CHANGES = 60;

  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "CREATE TABLE dst.line (a int, b text)");
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  private AppliedWindow apply(List<RowChange> changes) {
    return lab.apply(applier, lab.window(new Round.Ordered(List.of(), changes)));
  }

  private static RowChange insert(RowSchema schema, Row row) {
    return new RowChange(schema, null, row);
  }

  private static RowChange update(int id, Row row) {
    return new RowChange(ITEM, row("" + id), row);
  }

  private static RowChange delete(int id) {
    return new RowChange(ITEM, row("" + id), null);
  }

  private static List<RowChange> changes(IntFunction<RowChange> each) {
    return IntStream.range(0, CHANGES).mapToObj(each).toList();
  }

  /** New rows of both tables by turns. */
  private static List<RowChange> inserts(int first) {
    return changes(
        i ->
            i % 2 == 0
                ? insert(ITEM, row("" + (first + i), "" + i, "n"))
                : insert(LINE, row("" + (first + i), "l")));
  }

  private List<String> items() throws SQLException {
    return lab.rows("SELECT * FROM dst.item ORDER BY id");
  }

  @Test
  void changesOfSeveralTablesAreASetForEach() throws SQLException {
    AppliedWindow applied = apply(inserts(0));
    assertThat(applied.statements()).isEqualTo(2);
    assertThat(applied.netChanges()).isEqualTo(CHANGES);
    assertThat(lab.rows("SELECT count(*), max(id) FROM dst.item")).containsExactly("30|58");
    assertThat(lab.rows("SELECT count(*), max(a) FROM dst.line")).containsExactly("30|59");
  }

  @Test
  void updatesOfOneRowAreOneUpdateAndCountAsMany() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 0, 'kept')");
    AppliedWindow applied = apply(changes(i -> update(1, toasted("1", "" + i, "~"))));
    assertThat(applied.statements()).isEqualTo(1);
    assertThat(applied.tables().get(ITEM.table()).updates()).isEqualTo(CHANGES);
    assertThat(items()).containsExactly("1|59|kept");
  }

  @Test
  void aRowThatComesIsChangedAndGoesLeavesNothing() throws SQLException {
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < CHANGES; i++) {
      changes.add(insert(ITEM, row("" + i, "1", "a")));
    }
    for (int i = 0; i < CHANGES; i++) {
      changes.add(update(i, toasted("" + i, "2", "~")));
      changes.add(delete(i));
    }
    assertThat(apply(changes).tables().get(ITEM.table()).deletes()).isEqualTo(CHANGES);
    assertThat(items()).isEmpty();
  }

  @Test
  void anInsertThatTheTargetRejectsReachesItBeforeALaterDelete() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (58, 0, 'in the way')");
    List<RowChange> changes = new ArrayList<>(inserts(0));
    changes.add(delete(58));
    apply(changes);
    assertThat(lab.replays()).isEqualTo(1);
    assertThat(items()).contains("58|0|in the way");
  }

  @Test
  void aMissingRowIsNotHiddenByALaterInsert() throws SQLException {
    List<RowChange> changes = new ArrayList<>(inserts(0));
    changes.add(delete(700));
    changes.add(insert(ITEM, row("700", "1", "new")));
    assertThatThrownBy(() -> apply(changes))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("DELETE on dst.item (id=700), change 61 of the transaction at 0/");
    assertThat(items()).isEmpty();
  }

  @Test
  void aValueThatTheTargetRejectsReachesItBeforeALaterOne() throws SQLException {
    lab.run(
        "ALTER TABLE dst.item ALTER note TYPE varchar(3)",
        "INSERT INTO dst.item VALUES (1, 0, 'a')");
    List<RowChange> changes = new ArrayList<>(inserts(100));
    changes.add(update(1, row("1", "0", "too long")));
    changes.add(update(1, row("1", "0", "b")));
    apply(changes);
    assertThat(lab.replays()).isEqualTo(1);
    assertThat(items()).contains("1|0|b");
  }

  @Test
  void aNullThatTheTargetRejectsReachesItBeforeALaterValue() throws SQLException {
    lab.run(
        "ALTER TABLE dst.item ALTER note SET NOT NULL", "INSERT INTO dst.item VALUES (1, 0, 'a')");
    List<RowChange> changes = new ArrayList<>(inserts(100));
    changes.add(update(1, row("1", "0", null)));
    changes.add(update(1, row("1", "0", "b")));
    apply(changes);
    assertThat(lab.replays()).isEqualTo(1);
    assertThat(items()).contains("1|0|b");
  }

  @Test
  void aValueTooLargeForAnIndexReachesItBeforeALaterOne() throws SQLException {
    lab.run("CREATE INDEX ON dst.item (note)", "INSERT INTO dst.item VALUES (1, 0, 'a')");
    StringBuilder incompressible = new StringBuilder();
    Random random = new Random(1);
    for (int i = 0; i < 12_000; i++) {
      incompressible.append((char) ('!' + random.nextInt(90)));
    }
    List<RowChange> changes = new ArrayList<>(inserts(100));
    changes.add(update(1, row("1", "0", incompressible.toString())));
    changes.add(update(1, row("1", "0", "b")));
    apply(changes);
    assertThat(lab.replays()).isEqualTo(1);
    assertThat(items()).contains("1|0|b");
  }

  /** Each makes the table one whose single changes something could see or reject. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE dst.item ADD CHECK (code < 1000)",
        "CREATE UNIQUE INDEX ON dst.item (note, id)",
        "CREATE INDEX ON dst.item ((100 / (code + 1)))",
        "CREATE INDEX ON dst.item (code) WHERE 100 / (code + 1) > 0",
        "ALTER TABLE dst.item ADD own int DEFAULT 7",
        "ALTER TABLE dst.item ADD twice int GENERATED ALWAYS AS (code * 2) STORED",
        "CREATE TABLE dst.heir () INHERITS (dst.item)",
        "CREATE FUNCTION dst.see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
            + " CREATE TRIGGER see AFTER UPDATE ON dst.item FOR EACH STATEMENT EXECUTE FUNCTION dst.see();"
            + " ALTER TABLE dst.item ENABLE REPLICA TRIGGER see",
        "CREATE RULE see AS ON DELETE TO dst.item DO ALSO NOTIFY seen",
        "CREATE DOMAIN dst.small AS int CHECK (VALUE < 1000);"
            + " ALTER TABLE dst.item ALTER code TYPE dst.small",
        "ALTER TABLE dst.item ENABLE ROW LEVEL SECURITY",
      })
  void aTableThatIsNotPlainIsChangedOneByOne(String definition) throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 0, 'a')");
    lab.run(definition);
    AppliedWindow applied = apply(changes(i -> update(1, row("1", "" + i, "a"))));
    assertThat(applied.statements()).isEqualTo(CHANGES);
    assertThat(lab.rows("SELECT id, code, note FROM ONLY dst.item")).containsExactly("1|59|a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE dst.item ADD CHECK (code < 1000)",
        "CREATE UNIQUE INDEX ON dst.item (code, id)",
        "ALTER TABLE dst.item DROP CONSTRAINT item_pkey",
        "CREATE UNIQUE INDEX ON dst.line (a)",
      })
  void aTableThatIsPlainNoMoreIsNoticedByTheNextWindow(String definition) throws SQLException {
    assertThat(apply(inserts(0)).statements()).isEqualTo(2);
    lab.run(definition);
    assertThat(apply(inserts(100)).statements()).isEqualTo(CHANGES);
    assertThat(lab.rows("SELECT count(*) FROM dst.item")).containsExactly("60");
  }

  @Test
  void whereALogicalSlotSeesEachChangeTheyAreMadeOneByOne() throws SQLException {
    lab.run("SELECT pg_create_logical_replication_slot('seen_" + lab.database + "', 'pgoutput')");
    try {
      assertThat(apply(inserts(0)).statements()).isEqualTo(CHANGES);
    } finally {
      lab.run("SELECT pg_drop_replication_slot('seen_" + lab.database + "')");
    }
    assertThat(apply(inserts(100)).statements()).isEqualTo(2);
  }

  @Test
  void whereTypesDifferEachValueReachesTheTarget() throws SQLException {
    lab.run(
        "ALTER TABLE dst.item ALTER code TYPE bigint",
        "INSERT INTO dst.item SELECT g, 0, 'a' FROM generate_series(0, 9) g");
    AppliedWindow applied = apply(changes(i -> update(i % 10, row("" + i % 10, "" + i, "a"))));
    assertThat(applied.statements()).as("each row six times").isEqualTo(6);
    assertThat(lab.rows("SELECT sum(code) FROM dst.item")).containsExactly("545");
  }

  @Test
  void rowsOfTwoSchemasOfOneTableAreAppliedInTheirOrder() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 0, 'a')");
    RowSchema other = schema("item", "*id integer", "note text", "code integer");
    AppliedWindow applied =
        apply(
            changes(
                i ->
                    i % 2 == 0
                        ? update(1, row("1", "" + i, "first"))
                        : new RowChange(
                            other, row("1"), row("1", i == 59 ? "last" : "b", "" + i))));
    assertThat(applied.statements()).isEqualTo(CHANGES);
    assertThat(items()).containsExactly("1|59|last");
  }

  @Test
  void changesOfKeysAreAppliedInTheirOrder() throws SQLException {
    lab.run("INSERT INTO dst.item SELECT g, g, 'a' FROM generate_series(1, 60) g");
    List<RowChange> changes = new ArrayList<>();
    for (int i = 1; i <= CHANGES; i++) {
      changes.add(update(i, row("" + (i - 1), "" + i, "a")));
    }
    assertThat(apply(changes).statements()).isEqualTo(CHANGES);
    assertThat(lab.rows("SELECT min(id), max(id), count(*) FROM dst.item"))
        .containsExactly("0|59|60");
  }

  @Test
  void changesOfManyThousandsAreOneSetForEachTable() throws SQLException {
    List<RowChange> changes = manyInserts();
    assertThat(apply(changes).statements()).isEqualTo(2);
    assertThat(lab.rows("SELECT count(*) FROM dst.item")).containsExactly("2500");
  }

  @Test
  void aChangeOfAKeyKeepsOnlyItsOwnPartFromBeingSets() throws SQLException {
    List<RowChange> changes = manyInserts();
    changes.add(1_500, update(0, row("1", "0", "a")));
    AppliedWindow applied = apply(changes);
    assertThat(applied.statements()).isBetween(1_000L, 1_100L);
    assertThat(lab.rows("SELECT count(*), min(id), sum(id) FROM dst.item"))
        .containsExactly("2500|1|6247501");
    assertThat(lab.rows("SELECT count(*) FROM dst.line")).containsExactly("2500");
  }

  /** New rows of both tables by turns, 5,000 in all. */
  private static List<RowChange> manyInserts() {
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 5_000; i += 2) {
      changes.add(insert(ITEM, row("" + i, "" + i, "n")));
      changes.add(insert(LINE, row("" + i, "l")));
    }
    return changes;
  }

  @Test
  void rowsWithoutAKeyThatGoAreAppliedInTheirOrder() throws SQLException {
    List<RowChange> changes = new ArrayList<>(inserts(0));
    changes.add(new RowChange(LINE, row("1", "l"), row("1", "changed")));
    changes.add(new RowChange(LINE, row("1", "changed"), null));
    assertThat(apply(changes).statements()).isEqualTo(CHANGES + 2);
    assertThat(lab.rows("SELECT count(*) FROM dst.line")).containsExactly("29");
  }

  @Test
  void aSmallTableIsReadByItsIndex() throws SQLException {
    lab.run(
        "INSERT INTO dst.item VALUES (1, 1, 'a'), (2, 2, 'a')",
        "ANALYZE dst.item",
        "SELECT pg_stat_reset()");
    apply(changes(i -> update(1 + i % 2, row("" + (1 + i % 2), "" + i, "b"))));
    applier.close();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                lab.rows("SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'item'")
                    .equals(List.of("2")));
    // The scan of the empty table, when its key was made, may be counted late: it read no row.
    assertThat(lab.rows("SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'item'"))
        .containsExactly("0");
  }
}
