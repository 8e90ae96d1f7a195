package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.definition;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static dev.sluice.sink.apply.TargetLab.toasted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchApplierTest {
  private static final RowSchema ITEM = schema("item", "*id int", "code int", "note text");

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

  private List<String> items() throws SQLException {
    return lab.rows("SELECT * FROM dst.item ORDER BY id");
  }

  @Test
  void insertsUpdatesAndDeletesReachTheTargetAndAreCounted() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 20, 'b')");
    AppliedWindow applied =
        applier.apply(
            lab.window(
                net(
                    keyed(
                        ITEM,
                        delete(row("1")),
                        change(row("2"), row("2", "21", "b\\\t\n\r\"',{}é😀")),
                        insert(row("3", null, ""))))));
    assertThat(items()).containsExactly("2|21|b\\\t\n\r\"',{}é😀", "3|null|");
    assertThat(applied.netChanges()).isEqualTo(3);
    assertThat(applied.tables())
        .containsEntry(new TableId("src", "item"), new TableCounters(1, 1, 1, 0));
    assertThat(lab.store().read("task").orElseThrow().nextOffset()).isEqualTo(0x110);
  }

  @Test
  void largeSetsAreStagedWithTheSameResult() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE, note text, extra text DEFAULT"
            + " 'mine')",
        "INSERT INTO dst.item SELECT i, i, 'old' || i, 'kept' || i FROM generate_series(1, 3000) i");
    List<NetChange> changes = new ArrayList<>();
    for (int i = 1; i <= 3000; i++) {
      String id = Integer.toString(i);
      if (i % 3 == 0) {
        changes.add(delete(row(id)));
      } else if (i % 3 == 1) {
        changes.add(change(row(id), toasted(id, Integer.toString(i + 1), "~")));
      } else {
        changes.add(
            change(row(id), toasted(Integer.toString(i + 10_000), Integer.toString(i - 1), "~")));
      }
    }
    for (int i = 0; i < 600; i++) {
      changes.add(
          insert(row(Integer.toString(20_000 + i), Integer.toString(20_000 + i), "\\N\t\\\n")));
    }
    applier.apply(lab.window(net(new TableChanges.Keyed(ITEM, changes))));
    assertThat(lab.rows("SELECT count(*) FROM dst.item")).containsExactly("2600");
    assertThat(lab.rows("SELECT * FROM dst.item WHERE id IN (1, 10002, 20000) ORDER BY id"))
        .containsExactly("1|2|old1|kept1", "10002|1|old2|kept2", "20000|20000|\\N\t\\\n|mine");
  }

  @Test
  void anUncompactedTableIsAppliedChangeByChangeBesideCompactedOnes() throws SQLException {
    RowSchema other = schema("other", "*id int", "code int", "note text");
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "CREATE TABLE dst.other (id int PRIMARY KEY, code int, note text)",
        "CREATE TABLE dst.seen (n serial, what text)",
        "CREATE FUNCTION dst.see() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
            + " INSERT INTO dst.seen (what) VALUES (TG_OP || coalesce(NEW.code, OLD.code));"
            + " RETURN NULL; END$$",
        "CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON dst.item FOR EACH ROW"
            + " EXECUTE FUNCTION dst.see()",
        "ALTER TABLE dst.item ENABLE ALWAYS TRIGGER see");
    AppliedWindow applied =
        applier.apply(
            lab.window(
                net(
                    new TableChanges.Ordered(
                        ITEM,
                        List.of(
                            new RowChange(ITEM, null, row("1", "10", "a")),
                            new RowChange(ITEM, row("1"), row("1", "11", "b")),
                            new RowChange(ITEM, row("1"), null),
                            new RowChange(ITEM, null, row("1", "12", "c")))),
                    keyed(other, insert(row("5", "50", "e"))))));
    assertThat(items()).containsExactly("1|12|c");
    assertThat(lab.rows("SELECT * FROM dst.other")).containsExactly("5|50|e");
    assertThat(lab.rows("SELECT string_agg(what, ' ' ORDER BY n) FROM dst.seen"))
        .containsExactly("INSERT10 UPDATE11 DELETE11 INSERT12");
    assertThat(applied.tables().get(ITEM.table())).isEqualTo(new TableCounters(2, 1, 1, 0));
  }

  @Test
  void aTableHasTheSplitSizeOfItsRule() throws SQLException {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)");
    BatchApplyOverrides rule = new BatchApplyOverrides(Map.of(ITEM.table(), Tunings.split(2)));
    TableChanges three =
        keyed(
            ITEM,
            insert(row("1", "1", "a")),
            insert(row("2", "1", "a")),
            insert(row("3", "1", "a")));
    lab.tune(Tunings.batch(rule));
    assertThat(applier.apply(lab.window(net(three))).statements()).isEqualTo(2);
    lab.run("TRUNCATE dst.item");
    lab.tune(Tunings.batch());
    assertThat(applier.apply(lab.window(net(three))).statements()).isEqualTo(1);
  }

  @Test
  void anotherStatementCacheSizeOpensAnotherConnectionAtTheNextWindow() throws SQLException {
    applier.apply(lab.window(net()));
    List<String> before = onlySession();
    applier.apply(lab.window(net()));
    assertThat(onlySession()).isEqualTo(before);
    lab.tune(Tunings.caching(7));
    applier.apply(lab.window(net()));
    assertThat(onlySession()).isNotEqualTo(before);
  }

  @Test
  void theFirstWindowIsAppliedInTheSessionThatWasOpenedBeforeIt() throws SQLException {
    applier.prepare();
    List<String> before = onlySession();
    applier.apply(lab.window(net()));
    assertThat(onlySession()).isEqualTo(before);
  }

  /** Waits, since the server ends a closed connection only when it notices. */
  private List<String> onlySession() {
    return Awaitility.await()
        .atMost(Duration.ofMinutes(5))
        .until(
            () ->
                lab.rows(
                    "SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice test'"
                        + " AND datname = current_database()"),
            sessions -> sessions.size() == 1);
  }

  @Test
  void swappedAndRotatedUniqueValuesDoNotConflict() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')");
    applier.close();
    applier = lab.applier(1);
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), toasted("1", "20", "~")),
                    change(row("2"), toasted("2", "30", "~")),
                    change(row("3"), toasted("3", "10", "C"))))));
    assertThat(items()).containsExactly("1|20|a", "2|30|b", "3|10|C");
  }

  @Test
  void swappedKeysKeepTheirUnchangedValues() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 20, 'b')");
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), toasted("2", "10", "~")),
                    change(row("2"), toasted("1", "20", "~"))))));
    assertThat(items()).containsExactly("1|20|b", "2|10|a");
  }

  @Test
  void columnsThatOnlyTheTargetHasKeepTheirValues() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, mine text DEFAULT 'default', code int UNIQUE,"
            + " note text)",
        "INSERT INTO dst.item VALUES (1, 'x', 10, 'a'), (2, 'y', 20, 'b'), (3, 'z', 30, 'c')");
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), row("1", "20", "a")),
                    change(row("2"), row("2", "10", "b")),
                    change(row("3"), row("4", "30", "c"))))));
    assertThat(items()).containsExactly("1|x|20|a", "2|y|10|b", "4|z|30|c");
  }

  @Test
  void generatedAndIdentityColumnsAreLeftToTheTarget() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code int, note"
            + " text, twice int GENERATED ALWAYS AS (code * 2) STORED UNIQUE)");
    applier.apply(
        lab.window(net(keyed(ITEM, insert(row("1", "10", "a")), insert(row("2", "20", "b"))))));
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), row("1", "20", "a")),
                    change(row("2"), row("2", "10", "b"))))));
    assertThat(items()).containsExactly("1|20|a|40", "2|10|b|20");
  }

  @Test
  void rowsOfAPartitionedTableMoveBetweenPartitions() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int, code int, note text, PRIMARY KEY (id, code)) PARTITION BY"
            + " RANGE (code)",
        "CREATE TABLE dst.item_low PARTITION OF dst.item FOR VALUES FROM (0) TO (100)",
        "CREATE TABLE dst.item_high PARTITION OF dst.item FOR VALUES FROM (100) TO (200)",
        "CREATE UNIQUE INDEX ON dst.item_high (note)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 110, 'b'), (3, 120, 'c')");
    applier.close();
    applier = lab.applier(1);
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), toasted("1", "111", "b")),
                    change(row("2"), toasted("2", "12", "~")),
                    change(row("3"), toasted("3", "120", "d"))))));
    assertThat(items()).containsExactly("1|111|b", "2|12|b", "3|120|d");
  }

  @Test
  void copiesOfARowWithoutAKeyAreDeletedAndInsertedByNumber() throws SQLException {
    RowSchema log = schema("log", "at int", "text text");
    lab.run(
        "CREATE TABLE dst.log (at int, text text)",
        "INSERT INTO dst.log VALUES (1, 'a'), (1, 'a'), (1, 'a'), (NULL, NULL), (NULL, NULL)");
    applier.apply(
        lab.window(
            net(
                new TableChanges.Multiset(
                    log,
                    List.of(new Copies(row("1", "a"), 2), new Copies(row(null, null), 1)),
                    List.of(),
                    List.of(new Copies(row("2", "b"), 3))))));
    assertThat(lab.rows("SELECT * FROM dst.log ORDER BY 1 NULLS FIRST"))
        .containsExactly("null|null", "1|a", "2|b", "2|b", "2|b");
    assertThatThrownBy(
            () ->
                applier.apply(
                    lab.window(
                        net(
                            new TableChanges.Multiset(
                                log,
                                List.of(new Copies(row("2", "b"), 4)),
                                List.of(),
                                List.of())))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("dst.log")
        .hasMessageContaining("change 4")
        .hasMessageContaining("(2,b) is there 0 times, 1 wanted");
  }

  @Test
  void rowsWithoutAKeyKeepTheTargetsOwnColumnsAlsoIfSeveralAreEqual() throws SQLException {
    RowSchema log = schema("log", "at int", "text text", "shape point");
    lab.run(
        "CREATE TABLE dst.log (mine text DEFAULT 'new', text text, shape point, at int)",
        "INSERT INTO dst.log (at, text, shape, mine) VALUES (1, 'a', '(1,1)', 'one'),"
            + " (1, 'a', '(1,1)', 'two'), (1, 'a', '(1,1)', 'three'), (2, NULL, NULL, 'four')");
    applier.apply(
        lab.window(
            net(
                new TableChanges.Multiset(
                    log,
                    List.of(new Copies(row("1", "a", "(1,1)"), 1)),
                    List.of(
                        change(row("1", "a", "(1,1)"), row("1", "b", "(1,1)")),
                        change(row("1", "a", "(1,1)"), row("3", "c", null)),
                        change(row("2", null, null), row("1", "a", "(1,1)"))),
                    List.of(new Copies(row("1", "a", "(1,1)"), 1))))));
    assertThat(lab.rows("SELECT at, text, shape FROM dst.log ORDER BY 1, 2"))
        .containsExactly("1|a|(1,1)", "1|a|(1,1)", "1|b|(1,1)", "3|c|null");
    assertThat(lab.rows("SELECT mine FROM dst.log WHERE text = 'a'"))
        .containsExactlyInAnyOrder("four", "new");
    assertThat(lab.rows("SELECT DISTINCT mine FROM dst.log WHERE text <> 'a'"))
        .hasSize(2)
        .isSubsetOf("one", "two", "three");
  }

  @Test
  void rowsWithoutAKeyAreFoundIfTheTargetPadsAndRoundsThemDifferently() throws SQLException {
    RowSchema log = schema("log", "code character(3)", "amount numeric", "text text");
    Row first = row("a  ", "1.5", "x");
    Row second = row("b  ", "2", null);
    lab.run("CREATE TABLE dst.log (code char(8), amount numeric(12, 3), text varchar(20))");
    applier.apply(
        lab.window(
            net(
                new TableChanges.Multiset(
                    log,
                    List.of(),
                    List.of(),
                    List.of(new Copies(first, 2), new Copies(second, 2))))));
    applier.apply(
        lab.window(
            net(
                new TableChanges.Multiset(
                    log,
                    List.of(new Copies(first, 1), new Copies(second, 1)),
                    List.of(),
                    List.of()))));
    applier.apply(
        lab.window(
            new Round.Ordered(
                List.of(),
                List.of(
                    new RowChange(log, first, null),
                    new RowChange(log, second, row("c  ", "3", "y"))))));
    assertThat(lab.rows("SELECT * FROM dst.log")).containsExactly("c       |3.000|y");
  }

  @Test
  void anUncompactedRowWithoutAKeyKeepsTheTargetsOwnColumnsWhileItsIdentityChanges()
      throws SQLException {
    RowSchema log = schema("log", "at int", "text text");
    lab.run(
        "CREATE TABLE dst.log (at int GENERATED ALWAYS AS IDENTITY, text text, mine text)",
        "INSERT INTO dst.log OVERRIDING SYSTEM VALUE VALUES (1, 'a', 'one'), (2, 'b', 'two')");
    applier.apply(
        lab.window(
            new Round.Ordered(
                List.of(),
                List.of(
                    new RowChange(log, row("1", "a"), row("7", "a")),
                    new RowChange(log, row("2", "b"), row("2", "c")),
                    new RowChange(log, row("7", "a"), toasted("8", "~"))))));
    assertThat(lab.rows("SELECT * FROM dst.log ORDER BY at")).containsExactly("2|c|two", "8|a|one");
  }

  @Test
  void withoutTheReplicaRoleADeferrableConstraintIsCheckedAtTheEndAsWell() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE DEFERRABLE, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 20, 'b')",
        "DO $$ BEGIN CREATE ROLE plain LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
        "GRANT ALL ON SCHEMA dst, sluice_control TO plain",
        "GRANT ALL ON ALL TABLES IN SCHEMA dst, sluice_control TO plain");
    try (BatchApplier plain =
        lab.applier(lab.serverAt(lab.postgres.port(), "plain"), lab.store().claim("task"), 1)) {
      plain.apply(
          lab.window(
              new Round.Ordered(
                  List.of(),
                  List.of(
                      new RowChange(ITEM, row("1"), row("1", "20", "a")),
                      new RowChange(ITEM, row("2"), row("2", "10", "b"))))));
    }
    assertThat(items()).containsExactly("1|20|a", "2|10|b");
  }

  @Test
  void tablesUnderForeignKeysAreEmptiedTogetherOrByDelete() throws SQLException {
    lab.run(
        "CREATE TABLE dst.parent (id int PRIMARY KEY)",
        "CREATE TABLE dst.child (id int PRIMARY KEY, parent int REFERENCES dst.parent)",
        "CREATE TABLE dst.outside (id int PRIMARY KEY, child int REFERENCES dst.child)",
        "INSERT INTO dst.parent VALUES (1)",
        "INSERT INTO dst.child VALUES (1, 1)",
        "INSERT INTO dst.outside VALUES (1, 1)",
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "INSERT INTO dst.item VALUES (1, 1, ''), (2, 200, '')");
    AppliedWindow applied =
        applier.apply(
            lab.window(
                new Round.Net(
                    List.of(
                        new Emptied(new TableId("src", "parent"), null),
                        new Emptied(new TableId("src", "child"), null),
                        new Emptied(new TableId("src", "item"), "code >= 100")),
                    List.of(keyed(ITEM, insert(row("2", "2", "")))))));
    assertThat(lab.rows("SELECT * FROM dst.parent UNION ALL SELECT id FROM dst.child")).isEmpty();
    assertThat(lab.rows("SELECT count(*) FROM dst.outside")).containsExactly("1");
    assertThat(items()).containsExactly("1|1|", "2|2|");
    assertThat(applied.tables().get(new TableId("src", "item")))
        .isEqualTo(new TableCounters(1, 0, 0, 1));
  }

  @Test
  void aDeferrableConstraintIsCheckedAtTheEndOfTheWindowOnly() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE DEFERRABLE, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a')");
    applier.apply(
        lab.window(
            net(keyed(ITEM, insert(row("2", "10", "b")))),
            net(keyed(ITEM, change(row("1"), row("1", "11", "a"))))));
    assertThat(items()).containsExactly("1|11|a", "2|10|b");
    assertThatThrownBy(
            () -> applier.apply(lab.window(net(keyed(ITEM, insert(row("3", "11", "c")))))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("dst.item")
        .hasMessageContaining("item_code_key")
        .hasMessageContaining("(11)");
    assertThat(items()).containsExactly("1|11|a", "2|10|b");
  }

  @Test
  void aDeferrableConstraintIsNotCheckedByDdlOfAnotherTable() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE DEFERRABLE, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 20, 'b')");
    AppliedWindow applied =
        applier.apply(
            lab.windowOf(
                List.of(
                    List.of(
                        new RowChange(ITEM, row("1"), row("1", "20", "a")),
                        TargetLab.definition("CREATE TABLE", null, TargetLab.table("x", "id")),
                        new RowChange(ITEM, row("2"), row("2", "10", "b"))))));
    assertThat(items()).containsExactly("1|20|a", "2|10|b");
    assertThat(applied.errors()).isEmpty();
    assertThatThrownBy(
            () ->
                applier.apply(
                    lab.windowOf(
                        List.of(
                            List.of(
                                new RowChange(ITEM, null, row("3", "20", "c")),
                                TargetLab.definition(
                                    "CREATE TABLE", null, TargetLab.table("y", "id")))))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("item_code_key");
  }

  @Test
  void rowsOfATableThatIsNotRenamedDoNotGoIntoAnotherOneOfItsNewName() throws SQLException {
    lab.run("CREATE TABLE dst.swapped (id text PRIMARY KEY)", "CREATE TABLE dst.kept (id text)");
    ApplySettings untouched =
        new ApplySettings(
            TargetLab.STOPPING.with(
                ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED, false));
    ClosedWindow renamed =
        lab.windowOf(
            List.of(
                List.of(
                    TargetLab.definition(
                        "RENAME TABLE",
                        TargetLab.table("swapped", "id"),
                        TargetLab.table("kept", "id")))));
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), untouched)) {
      assertThatThrownBy(() -> applier.apply(renamed))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("target table dst.kept is still dst.swapped");
      // Somebody has renamed it there.
      lab.run("DROP TABLE dst.kept", "ALTER TABLE dst.swapped RENAME TO kept");
      applier.apply(renamed);
    }
  }

  @Test
  void aTableThatStayedThoughTheSourceDroppedItIsNotTakenForTheNextOneOfItsName()
      throws SQLException {
    ApplySettings keeping =
        new ApplySettings(
            TargetLab.STOPPING.with(
                ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED, false));
    ClosedWindow made =
        lab.windowOf(
            List.of(
                List.of(
                    new ChangeEvent.Definition(
                        new DefinitionChanges(
                            "CREATE TABLE",
                            true,
                            Map.of(),
                            List.of(),
                            List.of(
                                new DefinitionChange(
                                    null, TargetLab.table("again", "id"), true, false, null)))))));
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), keeping)) {
      lab.run("CREATE TABLE dst.again (id text, v text PRIMARY KEY)");
      assertThatThrownBy(() -> applier.apply(made))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("dst.again has the primary key [v], and the source's new one [id]")
          .hasMessageContaining("Rename it on the target if you need its rows: a reload deletes");
      lab.run("DROP TABLE dst.again", "CREATE TABLE dst.again (id text)");
      lab.run("INSERT INTO dst.again VALUES ('1')");
      assertThatThrownBy(() -> applier.apply(made)).hasMessageContaining("dst.again has rows");
    }
    // The setting counts for what is dropped from now on.
    ApplySettings dropping =
        new ApplySettings(
            TargetLab.STOPPING.with(
                ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED, true));
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), dropping)) {
      assertThatThrownBy(() -> applier.apply(made))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("dst.again has rows, and the source's new one has none yet")
          .hasMessageContaining("stayed when the source dropped or renamed it")
          .hasMessageContaining("a reload deletes them");
      assertThat(lab.rows("SELECT id FROM dst.again")).containsExactly("1");
      lab.run("DELETE FROM dst.again");
      applier.apply(made);
    }
  }

  /** Somebody made it before, as a partitioned one for example. */
  @Test
  void aNewTableThatIsThereWithAnotherKeyGetsEveryRowOrRefusesItAloud() throws SQLException {
    RowSchema schema = schema("made", "*id text", "v text");
    for (String key : List.of("", ", PRIMARY KEY (v, id)", ", PRIMARY KEY (v)")) {
      lab.run(
          "DROP TABLE IF EXISTS dst.made", "CREATE TABLE dst.made (id text, v text" + key + ")");
      List<List<ChangeEvent>> rows =
          List.of(
              List.of(definition("CREATE TABLE", null, TargetLab.table("made", "id", "v"))),
              List.of(
                  new RowChange(schema, null, row("1", "a")),
                  new RowChange(schema, null, row("2", "b")),
                  new RowChange(schema, null, row("3", "c"))),
              List.of(
                  new RowChange(schema, row("1"), row("4", "d")),
                  new RowChange(schema, row("2"), null),
                  new RowChange(schema, row("3"), row("3", "d"))));
      if (key.endsWith("(v)")) {
        assertThatThrownBy(() -> lab.apply(applier, lab.windowOf(rows)))
            .isInstanceOf(SluiceException.Data.class)
            .hasMessageContaining("duplicate key");
        assertThat(lab.rows("SELECT * FROM dst.made")).isEmpty();
      } else {
        lab.apply(applier, lab.windowOf(rows));
        assertThat(lab.rows("SELECT * FROM dst.made ORDER BY id")).containsExactly("3|d", "4|d");
      }
    }
  }

  @Test
  void aTypeChangedWhileTheConnectionIsLostDoesNotRoundValues() throws SQLException {
    lab.run("CREATE TABLE dst.price (id int PRIMARY KEY, v numeric(10,2))");
    RowSchema before = schema("price", "*id int", "v numeric(10,2)");
    RowSchema after = schema("price", "*id int", "v numeric(12,4)");
    applier.apply(lab.window(net(keyed(before, insert(row("1", "1.25"))))));
    lab.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            + " AND pid <> pg_backend_pid()");
    ClosedWindow next = lab.window(net(keyed(after, insert(row("2", "1.2345")))));
    assertThatThrownBy(() -> applier.apply(next)).isInstanceOf(SluiceException.Retryable.class);
    assertThatThrownBy(() -> applier.apply(next))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("column v became numeric(12,4)");
    assertThat(lab.rows("SELECT v FROM dst.price")).containsExactly("1.25");
  }

  @Test
  void aTypeChangedWhileNoDaemonRunsDoesNotRoundValues() throws SQLException {
    lab.run("CREATE TABLE dst.price (id int PRIMARY KEY, v numeric(10,2))");
    RowSchema before = schema("price", "*id int", "v numeric(10,2)");
    RowSchema after = schema("price", "*id int", "v numeric(12,4)");
    applier.apply(lab.window(net(keyed(before, insert(row("1", "1.25"))))));
    try (BatchApplier next = lab.applier(0)) {
      next.apply(lab.window(net(keyed(before, insert(row("2", "2.25"))))));
    }
    try (BatchApplier next = lab.applier(0)) {
      Round rounded = net(keyed(after, insert(row("3", "1.2345"))));
      assertThatThrownBy(() -> next.apply(lab.window(rounded)))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("column v became numeric(12,4)");
    }
    assertThat(lab.rows("SELECT v FROM dst.price ORDER BY id")).containsExactly("1.25", "2.25");
  }

  @Test
  void aRevokedRightStopsTheTaskAndNamesTheGrant() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "DO $$ BEGIN CREATE ROLE plain LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
        "GRANT ALL ON SCHEMA dst, sluice_control TO plain",
        "GRANT ALL ON ALL TABLES IN SCHEMA dst, sluice_control TO plain");
    try (BatchApplier plain =
        lab.applier(lab.serverAt(lab.postgres.port(), "plain"), lab.store().claim("task"), 1)) {
      plain.apply(lab.window(net(keyed(ITEM, insert(row("1", "10", "a"))))));
      lab.run("REVOKE INSERT ON dst.item FROM plain");
      Round next = net(keyed(ITEM, insert(row("2", "20", "b"))));
      assertThatThrownBy(() -> plain.apply(lab.window(next)))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("permission denied for table item")
          .hasMessageContaining("GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON TABLE \"item\"");
    }
    assertThat(items()).containsExactly("1|10|a");
  }

  @Test
  void aMissingRowIsNamedWithItsKeyAndNothingIsApplied() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a')");
    assertThatThrownBy(
            () ->
                applier.apply(
                    lab.window(
                        net(
                            keyed(
                                ITEM,
                                insert(row("5", "50", "e")),
                                change(row("1"), row("1", "11", "a")),
                                change(row("7"), row("7", "70", "g")))))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("update on dst.item")
        .hasMessageContaining("(id=7) matches 0 rows");
    assertThat(items()).containsExactly("1|10|a");
  }

  @Test
  void aKeyThatTheTargetHasTwiceIsNeverUpdatedTwice() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int, code int, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (1, 11, 'b')");
    assertThatThrownBy(
            () ->
                applier.apply(
                    lab.window(
                        net(
                            keyed(
                                ITEM,
                                change(row("1"), row("1", "12", "x")),
                                change(row("2"), row("2", "20", "y")))))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("(id=1) matches 2 rows");
  }

  @Test
  void aValueThatIsTooLongIsRejectedNotTruncated() throws SQLException {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, code int, note varchar(3))");
    assertThatThrownBy(
            () -> applier.apply(lab.window(net(keyed(ITEM, insert(row("1", "1", "four")))))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("dst.item")
        .hasMessageContaining("value too long for type character varying(3)");
  }

  @Test
  void anInsertWithAnUnknownValueIsAnErrorNotANull() throws SQLException {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)");
    assertThatThrownBy(
            () -> applier.apply(lab.window(net(keyed(ITEM, insert(toasted("1", "1", "~")))))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("dst.item")
        .hasMessageContaining("note");
  }

  @Test
  void aMissingColumnIsAddedIfNoDdlWasReported() throws SQLException {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, code int)");
    applier.apply(lab.window(net(keyed(ITEM, insert(row("1", "1", "x"))))));
    assertThat(lab.rows("SELECT id, code, note FROM dst.item")).containsExactly("1|1|x");
  }

  @Test
  void aColumnIsAddedWithoutRunningTheDefaultOfItsDomain() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int)",
        "INSERT INTO dst.item VALUES (1, 1)",
        "CREATE DOMAIN dst.secret AS text DEFAULT current_setting('data_directory')");
    RowSchema item = schema("item", "*id int", "code int", "note dst.secret");
    applier.apply(lab.window(net(keyed(item, insert(row("2", "2", "x"))))));
    assertThat(lab.rows("SELECT id, note FROM dst.item ORDER BY id"))
        .containsExactly("1|null", "2|x");
  }

  @Test
  void aKeyColumnThatTheTargetLacksIsNamedWithTheStatementThatAddsIt() throws SQLException {
    lab.run("CREATE TABLE dst.item (code int, note text)");
    ApplySettings untouched =
        new ApplySettings(
            TargetLab.STOPPING.with(
                ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED, false));
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), untouched)) {
      assertThatThrownBy(
              () -> applier.apply(lab.window(net(keyed(ITEM, insert(row("1", "1", "x")))))))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("ALTER TABLE \"dst\".\"item\" ADD COLUMN \"id\" int");
    }
  }

  @Test
  void aKeyChangeNeedsNoValueOfAColumnThatTheTargetLacks() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int)",
        "INSERT INTO dst.item SELECT i, 10 * i FROM generate_series(1, 1000) i");
    ApplySettings untouched =
        new ApplySettings(
            TargetLab.STOPPING.with(
                ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED, false));
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), untouched)) {
      applier.apply(lab.window(net(keyed(ITEM, change(row("1"), toasted("1001", "11", "~"))))));
      // Enough rows for COPY.
      applier.apply(
          lab.window(
              net(
                  keyed(
                      ITEM,
                      IntStream.rangeClosed(2, 900)
                          .mapToObj(i -> change(row("" + i), toasted("" + (2000 + i), "" + i, "~")))
                          .toArray(NetChange[]::new)))));
      lab.tune(Tunings.transactional());
      applier.apply(
          lab.windowOf(
              List.of(List.of(new RowChange(ITEM, row("1000"), toasted("1002", "12", "~"))))));
    }
    assertThat(lab.rows("SELECT id, code FROM dst.item WHERE id BETWEEN 1001 AND 1002 ORDER BY id"))
        .containsExactly("1001|11", "1002|12");
    assertThat(lab.rows("SELECT count(*) FROM dst.item WHERE id > 2000 AND code = id - 2000"))
        .containsExactly("899");
  }

  @Test
  void aColumnGoneFromTheSourceIsNotFilledSilentlyByTheTarget() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text DEFAULT 'made up',"
            + " own text DEFAULT 'of the target')");
    ApplySettings leavingOut =
        new ApplySettings(
            TargetLab.STOPPING.with(
                ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED, false));
    RowSchema without = schema("item", "*id int", "code int");
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), leavingOut)) {
      applier.apply(lab.window(net(keyed(ITEM, insert(row("1", "10", "a"))))));
      ClosedWindow second = lab.window(net(keyed(without, insert(row("2", "20")))));
      assertThatThrownBy(() -> applier.apply(second))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("target table dst.item: column note is gone")
          .hasMessageContaining("made up")
          .hasMessageNotContaining("of the target");
      lab.run("ALTER TABLE dst.item ALTER COLUMN note SET DEFAULT NULL");
      applier.apply(second);
      applier.apply(lab.window(net(keyed(without, insert(row("3", "30"))))));
    }
    assertThat(lab.rows("SELECT id, code, note, own FROM dst.item ORDER BY id"))
        .containsExactly(
            "1|10|a|of the target", "2|20|null|of the target", "3|30|null|of the target");
  }

  @Test
  void aTableAlteredMeanwhileIsReadAgain() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "INSERT INTO dst.item VALUES (1, 10, 'a'), (2, 20, 'b')");
    applier.apply(lab.window(net(keyed(ITEM, change(row("1"), row("1", "10", "aa"))))));
    lab.run("CREATE UNIQUE INDEX ON dst.item (code)");
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), row("1", "20", "a")),
                    change(row("2"), row("2", "10", "b"))))));
    assertThat(items()).containsExactly("1|20|a", "2|10|b");
  }

  @Test
  void namesWithAnyCharactersAndLengthAreQuoted() throws SQLException {
    String table = "Tä\"ble; DROP ?" + "x".repeat(48);
    String key = "K{e}y ?'%s\"" + "y".repeat(52);
    RowSchema odd =
        new RowSchema(
            new TableId("src", table),
            List.of(
                new dev.sluice.connector.api.Column(key, "text", false, true),
                new dev.sluice.connector.api.Column("select", "int", true, false)));
    lab.run(
        "CREATE TABLE dst.%s (%s text PRIMARY KEY, \"select\" int UNIQUE)"
            .formatted(TableId.quote(table), TableId.quote(key)));
    applier.apply(
        lab.window(
            net(
                new TableChanges.Keyed(
                    odd, List.of(insert(row("a", "1")), insert(row("b", "2")))))));
    applier.apply(
        lab.window(
            net(
                new TableChanges.Keyed(
                    odd,
                    List.of(change(row("a"), row("a", "2")), change(row("b"), row("c", "1")))))));
    assertThat(lab.rows("SELECT * FROM dst." + TableId.quote(table) + " ORDER BY 1"))
        .containsExactly("a|2", "c|1");
    assertThatThrownBy(
            () ->
                applier.apply(
                    lab.window(net(new TableChanges.Keyed(odd, List.of(delete(row("missing"))))))))
        .hasMessageContaining(key + "=missing");
  }

  @Test
  void equalValuesWithDifferentTextCountAsChanged() throws SQLException {
    RowSchema price = schema("price", "*id int", "amount numeric");
    lab.run(
        "CREATE TABLE dst.price (id int PRIMARY KEY, amount numeric)",
        "CREATE UNIQUE INDEX ON dst.price ((amount::text))",
        "INSERT INTO dst.price VALUES (1, 1.0), (2, 1.00)");
    applier.apply(
        lab.window(
            net(
                keyed(
                    price,
                    change(row("1"), row("1", "1.00")),
                    change(row("2"), row("2", "1.0"))))));
    assertThat(lab.rows("SELECT * FROM dst.price ORDER BY id")).containsExactly("1|1.00", "2|1.0");
  }

  @Test
  void inheritingTablesAreNotChanged() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code int, note text)",
        "CREATE TABLE dst.heir () INHERITS (dst.item)",
        "INSERT INTO dst.item VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')",
        "INSERT INTO dst.heir SELECT * FROM dst.item");
    applier.apply(
        lab.window(
            net(
                keyed(
                    ITEM,
                    change(row("1"), row("1", "10", "A")),
                    change(row("2"), row("4", "20", "B")),
                    delete(row("3"))))));
    assertThat(lab.rows("SELECT * FROM ONLY dst.item ORDER BY id"))
        .containsExactly("1|10|A", "4|20|B");
    applier.apply(
        lab.window(
            new Round.Net(List.of(new Emptied(new TableId("src", "item"), null)), List.of())));
    assertThat(items()).containsExactly("1|1|a", "2|2|b", "3|3|c");
  }
}
