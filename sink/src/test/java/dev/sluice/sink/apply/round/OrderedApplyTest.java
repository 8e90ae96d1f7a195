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
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes applied one by one, in the source's order. */
class OrderedApplyTest {
  private static final RowSchema ITEM = schema("item", "*id int", "code int", "note text");
  private static final RowSchema PLACE = schema("place", "*id int", "name text");
  private static final RowSchema LINE = schema("line", "a int", "b text");

  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE, note text)",
        "CREATE TABLE dst.place (id int PRIMARY KEY, name text)",
        "CREATE TABLE dst.line (a int, b text)");
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  private void apply(RowChange... changes) {
    lab.apply(applier, lab.window(new Round.Ordered(List.of(), List.of(changes))));
  }

  private static RowChange insert(RowSchema schema, Row row) {
    return new RowChange(schema, null, row);
  }

  private static RowChange update(RowSchema schema, Row match, Row row) {
    return new RowChange(schema, match, row);
  }

  private static RowChange delete(RowSchema schema, Row match) {
    return new RowChange(schema, match, null);
  }

  /** Installs a trigger that records each change on the target. */
  private void watch(String told) throws SQLException {
    lab.run(
        "CREATE TABLE dst.seen (n bigserial, what text)",
        """
        CREATE FUNCTION dst.see() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO dst.seen (what) SELECT %s; RETURN NULL; END $$"""
            .formatted(told));
    for (String table : List.of("item", "place", "line")) {
      lab.run(
          "CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON dst.%s FOR EACH ROW EXECUTE FUNCTION dst.see()"
              .formatted(table),
          "ALTER TABLE dst.%s ENABLE ALWAYS TRIGGER see".formatted(table));
    }
  }

  private List<String> seen() throws SQLException {
    return lab.rows("SELECT what FROM dst.seen ORDER BY n");
  }

  @Test
  void theSourceOrderIsKeptAcrossTablesAndKindsOfChanges() throws SQLException {
    watch("lower(TG_OP) || ' ' || TG_TABLE_NAME || ' ' || coalesce(NEW, OLD)::text");
    apply(
        insert(ITEM, row("1", "10", "a")),
        insert(PLACE, row("1", "x")),
        insert(ITEM, row("2", "20", "b")),
        update(ITEM, row("1"), row("1", "30", "a")),
        insert(LINE, row("1", "l")),
        update(ITEM, row("2"), row("2", "10", "b")),
        delete(PLACE, row("1")),
        update(ITEM, row("1"), row("3", "20", "a")),
        insert(PLACE, row("1", "y")),
        delete(LINE, row("1", "l")));
    assertThat(seen())
        .containsExactly(
            "insert item (1,10,a)",
            "insert place (1,x)",
            "insert item (2,20,b)",
            "update item (1,30,a)",
            "insert line (1,l)",
            "update item (2,10,b)",
            "delete place (1,x)",
            "update item (3,20,a)",
            "insert place (1,y)",
            "delete line (1,l)");
  }

  @Test
  void aBatchThatReachesTheStatementLimitIsFollowedByTheNextInOrder() throws SQLException {
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      String id = Integer.toString(i);
      changes.add(insert(PLACE, row(id, "new")));
      changes.add(update(PLACE, row(id), row(id, "changed")));
      changes.add(i % 3 == 0 ? delete(PLACE, row(id)) : insert(LINE, row(id, "l")));
    }
    apply(changes.toArray(RowChange[]::new));
    assertThat(lab.rows("SELECT count(*), min(name), max(name), min(id % 3) FROM dst.place"))
        .containsExactly("2000|changed|changed|1");
    assertThat(lab.rows("SELECT count(*) FROM dst.line")).containsExactly("2000");
  }

  @Test
  void valuesArriveAsTheyAre() throws SQLException {
    String wild = "it''s \\' \"$1\" ? {fn now()} -- /* \t\r\n é😀 \u2028";
    apply(
        insert(PLACE, row("1", wild)), insert(PLACE, row("2", "")), insert(PLACE, row("3", null)));
    assertThat(lab.rows("SELECT name FROM dst.place ORDER BY id"))
        .containsExactly(wild, "", "null");
    apply(insert(LINE, row("1", wild)), delete(LINE, row("1", wild)));
    assertThat(lab.rows("SELECT count(*) FROM dst.line")).containsExactly("0");
  }

  @Test
  void aValueThatIsNotInTheLogIsNotChanged() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 10, 'kept'), (2, 20, 'kept too')");
    apply(
        update(ITEM, row("1"), toasted("1", "11", "~")),
        update(ITEM, row("2"), toasted("2", "~", "new")),
        update(ITEM, row("1"), toasted("3", "~", "~")));
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id"))
        .containsExactly("2|20|new", "3|11|kept");
  }

  @Test
  void oneOfSeveralEqualRowsWithoutAKeyIsChanged() throws SQLException {
    lab.run("INSERT INTO dst.line VALUES (1, NULL), (1, NULL), (1, NULL)");
    apply(delete(LINE, row("1", null)), update(LINE, row("1", null), row("2", "b")));
    assertThat(lab.rows("SELECT * FROM dst.line ORDER BY a")).containsExactly("1|null", "2|b");
  }

  @Test
  void aLargeValueIsAppliedInOrder() throws SQLException {
    String large = "'x\\".repeat(700_000);
    apply(
        insert(PLACE, row("1", "small")),
        update(PLACE, row("1"), row("1", large)),
        update(PLACE, row("1"), toasted("2", "~")));
    assertThat(
            lab.rows(
                "SELECT id, length(name), md5(name) = md5(repeat('''x\\', 700000)) FROM dst.place"))
        .containsExactly("2|2100000|t");
  }

  @Test
  void rowsWithANewSchemaAreAppliedAmongOthersInFlight() throws SQLException {
    RowSchema wide = schema("place", "*id int", "name text", "extra text");
    apply(insert(ITEM, row("1", "10", "a")));
    apply(
        insert(ITEM, row("3", "30", "c")),
        insert(PLACE, row("1", "x")),
        insert(wide, row("2", "y", "e")),
        insert(ITEM, row("2", "20", "b")));
    assertThat(lab.rows("SELECT id, name, extra FROM dst.place ORDER BY id"))
        .containsExactly("1|x|null", "2|y|e");
    assertThat(lab.rows("SELECT count(*) FROM dst.item")).containsExactly("3");
    assertThat(lab.rows("SELECT count(*) FROM sluice_control.sluice_apply_exceptions"))
        .containsExactly("0");
  }

  @Test
  void aMissingRowIsNamedAndNothingIsApplied() throws SQLException {
    assertThatThrownBy(
            () ->
                apply(
                    insert(PLACE, row("1", "x")),
                    update(ITEM, row("7"), row("7", "1", "n")),
                    insert(PLACE, row("2", "y"))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("UPDATE on dst.item (id=7), change 2 of the transaction at 0/");
    assertThat(lab.rows("SELECT count(*) FROM dst.place")).containsExactly("0");
  }

  @Test
  void statementsArePreparedOnceAndKeptAcrossWindows() throws SQLException {
    watch(
        "(SELECT count(*) || ' ' || max(generic_plans + custom_plans) FROM pg_prepared_statements WHERE statement LIKE '%dst%')");
    for (int i = 0; i < 4; i++) {
      String id = Integer.toString(i);
      apply(insert(PLACE, row(id, "a")), insert(LINE, row(id, "a")));
    }
    assertThat(seen()).containsExactly("1 1", "2 1", "2 2", "2 2", "2 3", "2 3", "2 4", "2 4");
  }

  @Test
  void aSmallTableIsAlsoReadByItsIndex() throws SQLException {
    lab.run("INSERT INTO dst.place VALUES (1, 'a')", "ANALYZE dst.place");
    watch(
        "(SELECT seq_scan || ' read whole, by index ' || idx_scan FROM pg_stat_xact_user_tables WHERE schemaname = 'dst' AND relname = 'place')");
    apply(
        update(PLACE, row("1"), row("1", "b")),
        update(PLACE, row("1"), row("1", "c")),
        delete(PLACE, row("1")));
    assertThat(seen())
        .containsExactly(
            "0 read whole, by index 1", "0 read whole, by index 2", "0 read whole, by index 3");
    assertThat(lab.rows("SHOW enable_seqscan")).containsExactly("on");
  }

  @Test
  void noMoreStatementsArePreparedThanTheCacheSize() throws SQLException {
    watch("(SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%dst%')");
    lab.tune(Tunings.caching(2));
    for (int i = 0; i < 3; i++) {
      String id = Integer.toString(i);
      apply(
          insert(PLACE, row(id, "a")),
          insert(LINE, row(id, "a")),
          insert(ITEM, row(id, id, "a")),
          update(PLACE, row(id), row(id, "b")));
    }
    assertThat(seen()).hasSize(12).containsOnly("1", "2");
    assertThat(lab.rows("SELECT count(*) FROM dst.place WHERE name = 'b'")).containsExactly("3");
  }

  @Test
  void aTargetTableAlteredBetweenWindowsIsReadAgain() throws SQLException {
    apply(insert(PLACE, row("1", "a")), insert(LINE, row("1", "a")));
    lab.run(
        "ALTER TABLE dst.place ALTER id TYPE bigint, ADD extra text DEFAULT 'mine'",
        "DROP TABLE dst.line",
        "CREATE TABLE dst.line (b varchar(9), a numeric)");
    apply(
        insert(PLACE, row("5000000000", "b")),
        insert(LINE, row("5000000000", "b")),
        update(PLACE, row("1"), row("1", "c")));
    assertThat(lab.rows("SELECT * FROM dst.place ORDER BY id"))
        .containsExactly("1|c|mine", "5000000000|b|mine");
    assertThat(lab.rows("SELECT * FROM dst.line")).containsExactly("b|5000000000");
  }

  @Test
  void preparedStatementsAreKnownAfterAFailure() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (9, 10, 'in the way')");
    RowChange[] changes = {
      insert(LINE, row("1", "a")), insert(ITEM, row("1", "10", "a")), insert(PLACE, row("1", "a"))
    };
    assertThatThrownBy(() -> apply(changes))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("Key (code)=(10) already exists");
    lab.run("DELETE FROM dst.item");
    apply(changes);
    assertThat(lab.rows("SELECT * FROM dst.place")).containsExactly("1|a");
    assertThat(lab.rows("SELECT count(*) FROM dst.line")).containsExactly("1");
  }

  @Test
  void anotherConnectionPreparesItsStatementsAgain() throws SQLException {
    apply(insert(PLACE, row("1", "a")));
    lab.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
    assertThatThrownBy(() -> apply(insert(PLACE, row("2", "a"))))
        .isInstanceOf(SluiceException.Retryable.class);
    apply(insert(PLACE, row("2", "a")));
    assertThat(lab.rows("SELECT count(*) FROM dst.place")).containsExactly("2");
  }

  @Test
  void deallocatedStatementsArePreparedAgain() throws SQLException {
    lab.run(
        """
        CREATE FUNCTION dst.give_up() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE s text;
        BEGIN
          FOR s IN SELECT name FROM pg_prepared_statements WHERE statement LIKE '%line%' LOOP
            EXECUTE format('DEALLOCATE %I', s);
          END LOOP;
          RETURN NULL;
        END $$""",
        "CREATE TRIGGER give_up AFTER INSERT ON dst.item FOR EACH ROW EXECUTE FUNCTION dst.give_up()",
        "ALTER TABLE dst.item ENABLE ALWAYS TRIGGER give_up");
    apply(insert(LINE, row("1", "a")), insert(ITEM, row("1", "1", "a")));
    assertThatThrownBy(() -> apply(insert(LINE, row("2", "a"))))
        .isInstanceOf(SluiceException.Retryable.class);
    apply(insert(LINE, row("2", "a")));
    assertThat(lab.rows("SELECT count(*) FROM dst.line")).containsExactly("2");
  }

  @Test
  void manyKindsOfUpdatesAreAppliedWithASmallCache() throws SQLException {
    lab.tune(Tunings.caching(1));
    RowChange[] changes =
        IntStream.range(0, 60)
            .mapToObj(
                i -> {
                  String id = Integer.toString(i / 2);
                  return i % 2 == 0
                      ? insert(ITEM, row(id, id, "a"))
                      : update(ITEM, row(id), toasted(id, i % 4 == 1 ? "~" : id, "b"));
                })
            .toArray(RowChange[]::new);
    apply(changes);
    assertThat(lab.rows("SELECT count(*), min(note) FROM dst.item")).containsExactly("30|b");
  }
}
