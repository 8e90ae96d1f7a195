package dev.sluice.target.yugabytedb;

import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tables that the source alters, renames and drops while a task runs, where each statement of DDL
 * commits by itself.
 */
class YugabyteAlteredTablesTest {
  private static final TaskMark MARK = new TaskMark("task", UUID.randomUUID(), "schema x");
  private static final TaskMark OTHER = new TaskMark("task", UUID.randomUUID(), "schema y");
  private static final TaskSettings SUSPENDING =
      TaskSettings.DEFAULTS.with(ErrorBehavior.TABLE_ERROR_POLICY, ErrorAction.SUSPEND_TABLE);
  private static final TableId ITEM = new TableId("dst", "item");
  private static final TableId THING = new TableId("dst", "thing");
  private static final RowSchema ROWS =
      schema("item", "*id integer", "code character varying(5)", "n integer");

  private static final SourceColumn ID = column(1, "id", "integer").with(true);
  private static final SourceColumn CODE = column(2, "code", "character varying(5)");
  private static final SourceColumn N = column(3, "n", "integer");
  private static final SourceColumn STATE =
      column(4, "state", "character varying(9)")
          .defaults("'it''s'::character varying", "a\\b'")
          .with(true);

  private static final String COLUMNS =
      "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
          + " pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a LEFT JOIN pg_attrdef d"
          + " ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
          + " WHERE a.attrelid = 'dst.%s'::regclass AND a.attnum > 0 AND NOT a.attisdropped"
          + " ORDER BY a.attnum";

  private static final String TABLES =
      "SELECT n.nspname, c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c"
          + " JOIN pg_namespace n ON n.oid = c.relnamespace"
          + " WHERE n.nspname IN ('dst', 'far') AND c.relkind = 'r' ORDER BY 1, 2";

  private YugabyteLab database;
  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    database = YugabyteLab.database();
    lab = TargetLab.on(database);
    fill();
  }

  private void fill() throws SQLException {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, code varchar(5), n int DEFAULT 7)",
        "CREATE INDEX both_of ON dst.item (code, n)",
        marked(MARK),
        "INSERT INTO dst.item VALUES (1, 'a', 1), (2, 'b', 2)");
  }

  @AfterEach
  void close() throws SQLException {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
    lab.close();
  }

  @Test
  void aColumnIsAddedWithWhatOlderRowsHave() throws SQLException {
    SourceColumn note = column(5, "note", "text");
    SourceColumn at =
        column(6, "at", "timestamp(3) with time zone")
            .defaults("now()", "2026-01-31 10:00:00.5+00")
            .with(true);
    SourceColumn later = column(7, "later", "integer").defaults("5", null);
    SourceColumn was = column(8, "was", "text[]").defaults(null, "{a,NULL}");
    RowSchema rows =
        schema(
            "item",
            "*id integer",
            "code character varying(5)",
            "n integer",
            "state character varying(9)",
            "note text",
            "at timestamp(3) with time zone",
            "later integer",
            "was text[]");
    applied(
        altered(item(ID, CODE, N), item(ID, CODE, N, STATE, note, at, later, was)),
        insert(rows, "3", "c", "3", "new", "x", "2026-02-01 00:00:00+00", "6", null));
    assertThat(
            lab.rows(
                "SELECT id, state, note, at = '2026-01-31 10:00:00.5+00', later, was FROM dst.item"
                    + " ORDER BY id"))
        .containsExactly(
            "1|a\\b'|null|t|null|{a,NULL}", "2|a\\b'|null|t|null|{a,NULL}", "3|new|x|f|6|null");
    // Afterwards columns have the defaults of the source.
    assertThat(columns("item").subList(3, 8))
        .containsExactly(
            "state|character varying(9)|t|'it''s'::character varying",
            "note|text|f|null",
            "at|timestamp(3) with time zone|t|now()",
            "later|integer|f|5",
            "was|text[]|f|null");
  }

  @Test
  void columnsAreRenamedWidenedAndDroppedAndTakeNullOrNot() throws SQLException {
    SourceColumn wide = column(3, "n", "bigint");
    SourceColumn label = column(2, "label", "character varying(5)");
    SourceColumn sure = label.with(true);
    SourceColumn text = column(2, "label", "text");
    applied(altered(item(ID, CODE, N), item(ID, CODE, wide)));
    applied(altered(item(ID, CODE, wide), item(ID, label, wide)));
    applied(altered(item(ID, label, wide), item(ID, sure, wide)));
    assertThat(columns("item"))
        .containsExactly("id|integer|t|null", "label|character varying(5)|t|null", "n|bigint|f|7");
    // An index goes with a column of it, as on the source.
    applied(altered(item(ID, sure, wide), item(ID, sure)));
    applied(
        altered(item(ID, sure), item(ID, text)),
        insert(schema("item", "*id integer", "label text"), "3", "a longer one"));
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id"))
        .containsExactly("1|a", "2|b", "3|a longer one");
    assertThat(columns("item")).containsExactly("id|integer|t|null", "label|text|f|null");
  }

  @Test
  void aTableIsRenamedMovedAndDroppedWithItsMark() throws SQLException {
    TableDefinition renamed = table("thing", ID, CODE, N);
    RowSchema rows = schema("thing", "*id integer", "code character varying(5)", "n integer");
    applied(altered(item(ID, CODE, N), renamed), insert(rows, "3", "c", "3"));
    assertThat(lab.rows("SELECT count(*) FROM dst.thing")).containsExactly("3");
    assertThat(lab.rows(TABLES)).containsExactly("dst|thing|" + MARK.commentOf(THING));
    TableId far = new TableId("far", "thing");
    try (TargetConnection connection = database.server().connect()) {
      ApartChange moves =
          new ApartChange(
              new DefinitionChange(renamed, renamed, false, false, null),
              THING,
              far,
              statement(),
              Optional.of(MARK),
              Set.of());
      needed(connection, moves).make(connection);
      assertThat(lab.rows(TABLES)).containsExactly("far|thing|" + MARK.commentOf(far));
      assertThat(definitions(connection).changedApart(moves)).isTrue();
    }
    lab.run("ALTER TABLE far.thing SET SCHEMA dst");
    applied(changed("DROP TABLE", renamed, null));
    assertThat(lab.rows(TABLES)).isEmpty();
    applied(changed("DROP TABLE", renamed, null));
  }

  /** One that the user has altered before is as it has to be, and one without a mark gets none. */
  @Test
  void whatIsThereAlreadyStaysAsItIs() throws SQLException {
    lab.run(
        "ALTER TABLE dst.item ADD note varchar(20) DEFAULT 'mine', DROP n, ALTER code TYPE text",
        "COMMENT ON TABLE dst.item IS 'of the user'");
    List<String> before = columns("item");
    SourceColumn note = column(4, "note", "character varying(20)").defaults("'x'::text", "x");
    applied(altered(item(ID, CODE, N), item(ID, column(2, "code", "character varying(8)"), note)));
    assertThat(columns("item")).isEqualTo(before);
    applied(altered(item(ID), table("thing", ID)));
    assertThat(lab.rows(TABLES)).containsExactly("dst|thing|of the user");
  }

  /** Each statement is done by itself, and those behind it never come. */
  @Test
  void aKillBehindEachStatementLosesAndRepeatsNothing() throws SQLException {
    TableDefinition before = item(ID, CODE, N);
    TableDefinition after =
        table("thing", ID, column(2, "label", "character varying(8)").with(true), STATE);
    RowSchema rows =
        schema("thing", "*id integer", "label character varying(8)", "state character varying(9)");
    String unnamed = "sluice_new_" + Integer.toHexString("state".hashCode());
    List<String> statements =
        List.of(
            "ALTER TABLE dst.item DROP COLUMN n",
            "ALTER TABLE dst.item RENAME COLUMN code TO label",
            "ALTER TABLE dst.item ALTER COLUMN label TYPE varchar(8)",
            "ALTER TABLE dst.item ALTER COLUMN label SET NOT NULL",
            "ALTER TABLE dst.item ADD COLUMN %s varchar(9) DEFAULT 'a\\b''' NOT NULL"
                .formatted(unnamed),
            "ALTER TABLE dst.item ALTER COLUMN %s SET DEFAULT 'it''s'".formatted(unnamed),
            "ALTER TABLE dst.item RENAME COLUMN %s TO state".formatted(unnamed),
            "COMMENT ON TABLE dst.item IS '" + MARK.commentOf(THING) + "'",
            "ALTER TABLE dst.item RENAME TO thing");
    for (int done = 0; done <= statements.size(); done++) {
      lab.run("DROP TABLE IF EXISTS dst.thing", "DROP TABLE IF EXISTS dst.item");
      fill();
      lab.run(statements.subList(0, done).toArray(String[]::new));
      applied(altered(before, after), insert(rows, "3", "c", "new"));
      assertThat(lab.rows("SELECT * FROM dst.thing ORDER BY id"))
          .as("behind %s statements", done)
          .containsExactly("1|a|a\\b'", "2|b|a\\b'", "3|c|new");
      assertThat(columns("thing"))
          .containsExactly(
              "id|integer|t|null",
              "label|character varying(8)|t|null",
              "state|character varying(9)|t|'it''s'::character varying");
      assertThat(lab.rows(TABLES)).containsExactly("dst|thing|" + MARK.commentOf(THING));
    }
  }

  @Test
  void aStatementThatIsOvertakenIsMadeAgain() throws SQLException {
    TableDefinition after =
        table("thing", ID, column(2, "label", "character varying(8)").with(true), STATE);
    ApartChange change = apart(item(ID, CODE, N), after);
    for (String begin :
        List.of(
            "alter table name.name drop",
            "alter table name.name rename column",
            "alter table name.name alter column name type",
            "alter table name.name alter column name set not null",
            "alter table name.name add",
            "alter table name.name alter column name set default",
            "comment on table",
            "alter table name.name rename to")) {
      for (Fault fault : List.of(Fault.CONFLICT, Fault.CATALOG_MISMATCH)) {
        lab.run("DROP TABLE IF EXISTS dst.thing");
        try (TargetConnection connection = database.server().connect()) {
          NeededApart needed = needed(connection, change);
          YugabyteLab.proxy().failOnce(begin, fault);
          needed.make(connection);
          assertThat(YugabyteLab.proxy().faults()).containsKey(fault);
          assertThat(definitions(connection).changedApart(change)).isTrue();
        }
        assertThat(lab.rows("SELECT * FROM dst.thing ORDER BY id"))
            .containsExactly("1|a|a\\b'", "2|b|a\\b'");
        assertThat(columns("thing")).hasSize(3);
        lab.run("DROP TABLE dst.thing");
        fill();
      }
    }
  }

  /** What the daemon has heard to have failed was done, just before it is made again. */
  @Test
  void aStatementThatWasDoneMeanwhileIsLookedAtAgain() throws SQLException {
    doneMeanwhile(
        "alter table name.name drop",
        "ALTER TABLE dst.item DROP COLUMN n",
        apart(item(ID, CODE, N), item(ID, CODE)));
    doneMeanwhile(
        "alter table name.name rename column",
        "ALTER TABLE dst.item RENAME COLUMN code TO label",
        apart(item(ID, CODE, N), item(ID, column(2, "label", "character varying(5)"), N)));
    doneMeanwhile(
        "alter table name.name add",
        "ALTER TABLE dst.item ADD COLUMN note text",
        apart(item(ID, CODE, N), item(ID, CODE, N, column(4, "note", "text"))));
    doneMeanwhile(
        "alter table name.name rename to",
        "ALTER TABLE dst.item RENAME TO thing",
        apart(item(ID, CODE, N), table("thing", ID, CODE, N)));
    doneMeanwhile(
        "select 1 from name.name limit", "DROP TABLE dst.item", apart(item(ID, CODE, N), null));
  }

  private void doneMeanwhile(String begin, String statement, ApartChange change)
      throws SQLException {
    lab.run("DROP TABLE IF EXISTS dst.thing", "DROP TABLE IF EXISTS dst.item");
    fill();
    boolean[] done = {false};
    YugabyteLab.proxy()
        .beforeEach(
            begin,
            () -> {
              if (!done[0]) {
                done[0] = true;
                try {
                  lab.run(statement);
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              }
            });
    try (TargetConnection connection = database.server().connect()) {
      needed(connection, change).make(connection);
      assertThat(definitions(connection).changedApart(change)).isTrue();
    } finally {
      YugabyteLab.proxy().beforeEach("nothing", () -> {});
    }
    assertThat(done[0]).isTrue();
  }

  @Test
  void aStatementWhoseAnswerIsLostIsNotMadeTwice() throws SQLException {
    TableDefinition after = table("thing", ID, column(2, "label", "character varying(8)"), STATE);
    ApartChange change = apart(item(ID, CODE, N), after);
    for (Fault fault : List.of(Fault.LOST_AFTER_COMMIT, Fault.TIMEOUT_AFTER_COMMIT)) {
      for (String begin :
          List.of(
              "alter table name.name drop",
              "alter table name.name rename column",
              "alter table name.name add",
              "comment on table",
              "alter table name.name rename to")) {
        try (TargetConnection connection = database.server().connect()) {
          NeededApart needed = needed(connection, change);
          YugabyteLab.proxy().failOnce(begin, fault);
          assertThatThrownBy(() -> needed.make(connection)).isInstanceOf(SQLException.class);
        }
        try (TargetConnection next = database.server().connect()) {
          if (lab.rows(TABLES).get(0).startsWith("dst|item")) {
            needed(next, change).make(next);
          }
          assertThat(definitions(next).changedApart(change)).isTrue();
        }
        assertThat(lab.rows("SELECT * FROM dst.thing ORDER BY id"))
            .containsExactly("1|a|a\\b'", "2|b|a\\b'");
        assertThat(columns("thing")).hasSize(3);
        lab.run("DROP TABLE dst.thing");
        fill();
      }
    }
  }

  @Test
  void nobodyElseHasTheNameMeanwhile() throws SQLException {
    ApartChange change = apart(item(ID, CODE, N), item(ID, CODE));
    boolean[] free = {true, false};
    try (TargetConnection connection = database.server().connect();
        TargetConnection other = database.server().connect()) {
      String lock =
          "SELECT 1 WHERE pg_catalog.pg_try_advisory_xact_lock(hashtext('sluice load'),"
              + " hashtext('\"dst\".\"item\"'))";
      YugabyteLab.proxy()
          .beforeEach(
              "alter table",
              () -> {
                try {
                  free[0] = !lab.rows(lock).isEmpty();
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      needed(connection, change).make(connection);
      free[1] = other.exists(lock);
      other.rollback();
    } finally {
      YugabyteLab.proxy().beforeEach("nothing", () -> {});
    }
    assertThat(free).containsExactly(false, true);
  }

  @Test
  void rowsThatTheTransactionChangedBeforeRefuseTheChange() throws SQLException {
    refused(
        "its transaction has changed rows of the table before",
        insert(ROWS, "3", "c", "3"),
        altered(item(ID, CODE, N), item(ID, CODE)));
  }

  @Test
  void whatTheColumnsWouldNotShowIsRefused() throws SQLException {
    refused(
        "one statement moved the column name n from one column to another",
        altered(item(ID, CODE, N), item(ID, CODE, column(4, "n", "integer"))));
    refused(
        "from one column to another",
        altered(
            item(ID, CODE, N),
            item(ID, column(2, "n", "character varying(5)"), column(3, "code", "integer"))));
    refused(
        "column n is generated or was",
        altered(item(ID, CODE, N), item(ID, CODE, N.generated("id + 1"))));
  }

  @Test
  void valuesThatAreNotInTheLogAreRefused() throws SQLException {
    refused(
        "what the source's cast to smallint makes of them is not known",
        altered(
            item(ID, CODE, column(3, "n", "numeric(9,2)")),
            item(ID, CODE, column(3, "n", "smallint"))),
        "ALTER TABLE dst.item ALTER n TYPE numeric(9,2)");
    refused(
        "by a statement that may have changed values",
        new Definition(
            new DefinitionChanges(
                "ALTER TABLE",
                false,
                Map.of(),
                List.of(),
                List.of(
                    new DefinitionChange(
                        item(ID, CODE, N),
                        item(ID, CODE, column(3, "n", "bigint")),
                        false,
                        true,
                        null)))));
    refused(
        "column n is of type text, the source's was integer and became date",
        altered(item(ID, CODE, N), item(ID, CODE, column(3, "n", "date"))),
        "ALTER TABLE dst.item ALTER n DROP DEFAULT, ALTER n TYPE text");
    refused(
        "what the source's cast to numeric(8,3) makes of them is not known",
        altered(
            item(ID, CODE, column(3, "n", "numeric")),
            item(ID, CODE, column(3, "n", "numeric(8,3)"))),
        "ALTER TABLE dst.item ALTER n DROP DEFAULT, ALTER n TYPE text");
    refused(
        "was added with values that the source computed for each row (random())",
        rewritten(
            item(ID, CODE, N),
            item(ID, CODE, N, column(4, "r", "double precision").defaults("random()", null))));
    refused(
        "the log does not have the values of older rows",
        altered(item(ID, CODE, N), item(ID, CODE, N, column(4, "must", "integer").with(true))));
    refused(
        "column kind is of type src.kind, which Sluice does not use on YugabyteDB",
        altered(item(ID, CODE, N), item(ID, CODE, N, column(4, "kind", "src.kind"))));
    refused(
        "its primary key is (id), the source's became (id, n)",
        altered(
            item(ID, CODE, N),
            new TableDefinition(
                new TableId("src", "item"),
                null,
                null,
                List.of(1, 3),
                List.of(ID.column(), CODE.column(), N.column()))));
    refused(
        "contains null values",
        altered(item(ID, CODE, N), item(ID, CODE, N.with(true))),
        "UPDATE dst.item SET n = NULL WHERE id = 1");
  }

  /** As ALTER n TYPE integer USING n + 1 does. */
  @Test
  void rowsThatAStatementWroteAgainInTheSameTypeAreRefused() throws SQLException {
    refused(
        "its rows were written again by a statement that may have changed values",
        new Definition(
            new DefinitionChanges(
                "ALTER TABLE",
                false,
                Map.of(),
                List.of(),
                List.of(
                    new DefinitionChange(
                        item(ID, CODE, N), item(ID, CODE, N), false, true, null)))));
  }

  @Test
  void aTableWithoutRowsIsAlteredToAnyTypeThatTheServerTakes() throws SQLException {
    lab.run("DELETE FROM dst.item");
    SourceColumn must = column(4, "must", "integer").defaults("random()", null).with(true);
    SourceColumn counted = column(5, "counted", "bigint").identity();
    SourceColumn small = column(3, "n", "smallint");
    applied(
        rewritten(item(ID, CODE, N), item(ID, CODE, small, must, counted)),
        insert(
            schema(
                "item",
                "*id integer",
                "code character varying(5)",
                "n smallint",
                "must integer",
                "counted bigint"),
            "1",
            "a",
            "2",
            "3",
            "4"));
    assertThat(lab.rows("SELECT * FROM dst.item")).containsExactly("1|a|2|3|4");
    lab.run("DELETE FROM dst.item");
    refused(
        "cannot be cast automatically",
        altered(
            item(ID, CODE, small, must, counted),
            item(ID, column(2, "code", "integer"), small, must, counted)));
  }

  @Test
  void whatIsNotOursIsNeitherAlteredNorDropped() throws SQLException {
    refused("was made by another task", altered(item(ID, CODE, N), item(ID, CODE)), marked(OTHER));
    refused(
        "was made by another task", changed("DROP TABLE", item(ID, CODE, N), null), marked(OTHER));
    refused(
        "has triggers on the target: [fires]",
        changed("DROP TABLE", item(ID, CODE, N), null),
        "CREATE TRIGGER fires BEFORE DELETE ON dst.item FOR EACH ROW EXECUTE FUNCTION"
            + " suppress_redundant_updates_trigger()");
    String child = "CREATE TABLE dst.child (id int PRIMARY KEY, item int REFERENCES dst.item (id))";
    refused("other objects depend on it", changed("DROP TABLE", item(ID, CODE, N), null), child);
    refused(
        "other objects depend on it",
        altered(item(ID, CODE, N), item(ID, CODE)),
        "CREATE VIEW dst.seen AS SELECT n FROM dst.item");
    refused(
        "cannot be renamed from dst.item: both exist",
        altered(item(ID, CODE, N), table("thing", ID, CODE, N)),
        "CREATE TABLE dst.thing (id int PRIMARY KEY)");
  }

  @Test
  void partitionsAreNeitherAlteredNorDroppedByStatementsOfTheirOwn() throws SQLException {
    Partition low = new Partition(ROWS.table(), ROWS.table(), "FOR VALUES IN (1)", "n = 1");
    TableDefinition part =
        new TableDefinition(
            new TableId("src", "item_1"),
            null,
            low,
            List.of(1),
            List.of(ID.column(), CODE.column(), N.column()));
    TableDefinition renamed =
        new TableDefinition(
            new TableId("src", "item_one"),
            null,
            low,
            List.of(1),
            List.of(ID.column(), CODE.column(), N.column()));
    applied(altered(part, renamed));
    applied(changed("DROP TABLE", renamed, null));
    assertThat(lab.rows("SELECT id FROM dst.item")).containsExactly("2");
    lab.run(
        "DROP TABLE dst.item",
        "CREATE TABLE dst.item (id int, code varchar(5), n int, PRIMARY KEY (id, n))"
            + " PARTITION BY LIST (n)",
        "CREATE TABLE dst.item_1 PARTITION OF dst.item FOR VALUES IN (1)");
    assertThat(suspended(changed("DROP TABLE", part, null)))
        .contains("this target commits at such a statement: DROP TABLE \"dst\".\"item_1\"");
    ApartChange rename =
        apart(item(ID, CODE, N), item(ID, column(2, "label", "character varying(5)"), N));
    try (TargetConnection connection = database.server().connect()) {
      assertThatThrownBy(() -> definitions(connection).changedApart(rename))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("dst.item is a partitioned table");
    }
  }

  /** The table stays as it is; afterwards all is as it was at first. */
  private void refused(String why, ChangeEvent change, String... before) throws SQLException {
    lab.run(before);
    List<String> columns = columns("item");
    List<String> tables = lab.rows(TABLES);
    assertThat(suspended(change)).contains(why);
    assertThat(columns("item")).isEqualTo(columns);
    assertThat(lab.rows(TABLES)).isEqualTo(tables);
    close();
    open();
  }

  private void refused(String why, ChangeEvent first, ChangeEvent change) throws SQLException {
    assertThat(suspended(first, change)).contains(why);
    assertThat(columns("item")).hasSize(3);
    assertThat(lab.rows("SELECT id FROM dst.item ORDER BY id")).containsExactly("1", "2");
  }

  /** The reason for which the table is suspended. */
  private String suspended(ChangeEvent... changes) throws SQLException {
    try (BatchApplier applier = applier()) {
      lab.apply(applier, lab.windowOf(List.of(List.of(changes))));
      assertThat(applier.suspended()).hasSize(1);
      SuspendedTable table = applier.suspended().get(0);
      assertThat(table.table().name()).isIn("item", "thing");
      return table.reason();
    }
  }

  private void applied(ChangeEvent... transaction) throws SQLException {
    try (BatchApplier applier = applier()) {
      lab.apply(applier, lab.windowOf(List.of(List.of(transaction))));
      assertThat(applier.suspended()).isEmpty();
    }
  }

  private BatchApplier applier() throws SQLException {
    return lab.applier(
        database.server(), lab.store().claim("task"), new ApplySettings(SUSPENDING).marked(MARK));
  }

  private List<String> columns(String table) throws SQLException {
    return lab.rows(COLUMNS.formatted(table));
  }

  private static String marked(TaskMark mark) {
    return "COMMENT ON TABLE dst.item IS '" + mark.commentOf(ITEM) + "'";
  }

  private static YugabyteDefinitions definitions(TargetConnection connection) {
    return (YugabyteDefinitions) connection.dialect().definitions(connection);
  }

  private static NeededApart needed(TargetConnection connection, ApartChange change) {
    NeededApart needed =
        catchThrowableOfType(NeededApart.class, () -> definitions(connection).changedApart(change));
    connection.rollback();
    return needed;
  }

  private static ApartChange apart(TableDefinition before, TableDefinition after) {
    return ApartChange.of(
        new DefinitionChange(before, after, false, false, null),
        statement(),
        table -> new TableId("dst", table.name()),
        Optional.of(MARK));
  }

  private static DefinitionChanges statement() {
    return new DefinitionChanges("ALTER TABLE", true, Map.of(), List.of(), List.of());
  }

  private static TableDefinition item(SourceColumn... columns) {
    return table("item", columns);
  }

  private static TableDefinition table(String name, SourceColumn... columns) {
    return new TableDefinition(
        new TableId("src", name),
        null,
        null,
        List.of(1),
        Arrays.stream(columns).map(SourceColumn::column).toList());
  }

  private static SourceColumn column(int number, String name, String type) {
    return new SourceColumn(number, name, type, false, Filling.DEFAULT, null, null);
  }

  private static ChangeEvent insert(RowSchema schema, String... values) {
    return new RowChange(schema, null, row(values));
  }

  private static ChangeEvent altered(TableDefinition before, TableDefinition after) {
    return changed("ALTER TABLE", before, after);
  }

  private static ChangeEvent changed(
      String command, TableDefinition before, TableDefinition after) {
    return TargetLab.definition(command, before, after);
  }

  private static ChangeEvent rewritten(TableDefinition before, TableDefinition after) {
    return new Definition(
        new DefinitionChanges(
            "ALTER TABLE",
            true,
            Map.of(),
            List.of(),
            List.of(new DefinitionChange(before, after, false, true, null))));
  }

  /** A column of the source; nullable and without a default, if nothing else is said. */
  private record SourceColumn(
      int number,
      String name,
      String type,
      boolean notNull,
      Filling filling,
      String expression,
      String existing) {
    SourceColumn with(boolean isNotNull) {
      return new SourceColumn(number, name, type, isNotNull, filling, expression, existing);
    }

    SourceColumn defaults(String newExpression, String ofOlderRows) {
      return new SourceColumn(number, name, type, notNull, filling, newExpression, ofOlderRows);
    }

    SourceColumn generated(String newExpression) {
      return new SourceColumn(
          number, name, type, notNull, Filling.GENERATED_STORED, newExpression, null);
    }

    SourceColumn identity() {
      return new SourceColumn(number, name, type, true, Filling.IDENTITY_BY_DEFAULT, null, null);
    }

    ColumnDefinition column() {
      return new ColumnDefinition(
          number, name, type, type, null, notNull, filling, expression, existing, null);
    }
  }
}
