package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
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
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.definition.CommittedDefinitions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables that the source alters, renames and drops while a task runs, where DDL commits. */
class AlteredTablesTest {
  private static final TaskMark MARK = new TaskMark("task", UUID.randomUUID(), "schema x");
  private static final TaskMark OTHER = new TaskMark("task", UUID.randomUUID(), "schema y");
  private static final TaskSettings SUSPENDING =
      TaskSettings.DEFAULTS.with(ErrorBehavior.TABLE_ERROR_POLICY, ErrorAction.SUSPEND_TABLE);
  private static final TableId ITEM = new TableId("dst", "item");
  private static final RowSchema ROWS =
      schema("item", "*id integer", "code character varying(5)", "n integer");

  private static final SourceColumn ID = column(1, "id", "integer").with(true);
  private static final SourceColumn CODE = column(2, "code", "character varying(5)");
  private static final SourceColumn N = column(3, "n", "integer");

  private TargetLab lab;

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @BeforeEach
  void open() throws SQLException {
    lab = MariadbLab.open(kind());
    lab.run(
        "CREATE TABLE dst.item (id int NOT NULL PRIMARY KEY, code varchar(5) CHARACTER SET utf8mb4"
            + " COLLATE utf8mb4_bin NULL COMMENT 'it''s, (a) code', n int NULL DEFAULT 7,"
            + " KEY both_of (code, n)) COMMENT '"
            + MARK.commentOf(ITEM)
            + "'",
        "INSERT INTO dst.item VALUES (1, 'a', 1), (2, 'b', 2)");
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void aColumnIsAddedWithWhatOlderRowsHave() throws SQLException {
    SourceColumn note = column(4, "note", "text");
    SourceColumn state =
        column(5, "state", "character varying(9)").defaults("'it''s'::character varying", "it's");
    SourceColumn at =
        column(6, "at", "timestamp(3) with time zone")
            .defaults("now()", "2026-01-31 10:00:00.5+00")
            .with(true);
    SourceColumn sure = column(7, "sure", "boolean").defaults("false", "t").with(true);
    RowSchema rows =
        schema(
            "item",
            "*id integer",
            "code character varying(5)",
            "n integer",
            "note text",
            "state character varying(9)",
            "at timestamp(3) with time zone",
            "sure boolean");
    applied(
        List.of(
            altered(item(ID, CODE, N), item(ID, CODE, N, note, state, at, sure)),
            insert(rows, "3", "c", "3", "new", "x", "2026-02-01 00:00:00+00", "f")));
    assertThat(lab.rows("SELECT id, note, state, CAST(at AS CHAR), sure FROM dst.item ORDER BY id"))
        .containsExactly(
            "1|null|it's|2026-01-31 10:00:00.500|1",
            "2|null|it's|2026-01-31 10:00:00.500|1",
            "3|new|x|2026-02-01 00:00:00.000|0");
    // Afterwards columns have the defaults of the source, as far as they are constants.
    lab.run("INSERT INTO dst.item (id, at) VALUES (4, '2026-03-01')");
    assertThat(lab.rows("SELECT note, state, sure FROM dst.item WHERE id = 4"))
        .containsExactly("null|it's|0");
    assertThat(defaultOf("at")).isIn("null", "NULL");
  }

  @Test
  void columnsAreRenamedWidenedAndDroppedAndTakeNullOrNot() throws SQLException {
    SourceColumn wide = column(3, "n", "bigint");
    SourceColumn label = column(2, "label", "character varying(5)");
    SourceColumn sure = label.with(true);
    SourceColumn text = column(2, "label", "text").with(true);
    applied(List.of(altered(item(ID, CODE, N), item(ID, CODE, wide))));
    applied(List.of(altered(item(ID, CODE, wide), item(ID, label, wide))));
    applied(List.of(altered(item(ID, label, wide), item(ID, sure, wide))));
    assertThat(typeOf("label")).isEqualTo("varchar(5)|NO");
    assertThat(typeOf("n")).matches("bigint(\\(20\\))?\\|YES");
    assertThat(defaultOf("n")).isEqualTo("7");
    // An index goes with a column of it, as on the source.
    applied(List.of(altered(item(ID, sure, wide), item(ID, sure))));
    applied(
        List.of(
            altered(item(ID, sure), item(ID, text)),
            insert(schema("item", "*id integer", "label text"), "3", "a longer one")));
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id"))
        .containsExactly("1|a", "2|b", "3|a longer one");
    assertThat(typeOf("label")).isEqualTo("longtext|NO");
    assertThat(
            lab.rows(
                "SELECT COLUMN_COMMENT, COLLATION_NAME FROM information_schema.COLUMNS"
                    + " WHERE TABLE_SCHEMA = 'dst' AND COLUMN_NAME = 'label'"))
        .containsExactly("it's, (a) code|utf8mb4_bin");
  }

  @Test
  void aTableIsRenamedWithItsMarkAndDropped() throws SQLException {
    TableDefinition renamed = table("thing", ID, CODE, N);
    RowSchema rows = schema("thing", "*id integer", "code character varying(5)", "n integer");
    applied(List.of(altered(item(ID, CODE, N), renamed), insert(rows, "3", "c", "3")));
    assertThat(lab.rows("SELECT COUNT(*) FROM dst.thing")).containsExactly("3");
    assertThat(tables()).containsExactly("thing|" + MARK.commentOf(new TableId("dst", "thing")));
    applied(List.of(changed("DROP TABLE", renamed, null)));
    assertThat(tables()).isEmpty();
    applied(List.of(changed("DROP TABLE", renamed, null)));
  }

  /** One that the user has altered before is as it has to be. */
  @Test
  void whatIsThereAlreadyStaysAsItIs() throws SQLException {
    lab.run(
        "ALTER TABLE dst.item ADD note varchar(99) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
            + " DEFAULT 'mine', DROP INDEX both_of, DROP n, MODIFY code longtext CHARACTER SET utf8mb4 COLLATE"
            + " utf8mb4_bin");
    List<String> before = lab.rows("SHOW CREATE TABLE dst.item");
    SourceColumn note = column(4, "note", "character varying(20)").defaults("'x'::text", "x");
    applied(
        List.of(
            altered(item(ID, CODE, N), item(ID, column(2, "code", "character varying(8)"), note))));
    assertThat(lab.rows("SHOW CREATE TABLE dst.item")).isEqualTo(before);
  }

  @Test
  void aKillBehindEachStatementLosesAndRepeatsNothing() throws SQLException {
    TableDefinition before = item(ID, CODE, N);
    SourceColumn state =
        column(4, "state", "integer").defaults("nextval('s'::regclass)", "5").with(true);
    TableDefinition after = table("thing", ID, column(2, "label", "character varying(5)"), state);
    ApartChange change =
        ApartChange.of(
            new DefinitionChange(before, after, false, false, null),
            new DefinitionChanges("ALTER TABLE", true, Map.of(), List.of(), List.of()),
            table -> new TableId("dst", table.name()),
            Optional.of(MARK));
    try (TargetConnection killed = target("root").connect()) {
      // What a kill between the two statements leaves.
      lab.run(
          "ALTER TABLE dst.item DROP INDEX both_of, DROP n, RENAME COLUMN code TO label,"
              + " ADD state int NOT NULL DEFAULT '5', COMMENT '"
              + MARK.commentOf(new TableId("dst", "thing"))
              + "', RENAME TO dst.thing");
      CommittedDefinitions tables = new CommittedDefinitions(kind(), killed);
      catchThrowableOfType(NeededApart.class, () -> tables.changedApart(change)).make(killed);
      assertThat(tables.changedApart(change)).isTrue();
      killed.rollback();
    }
    List<String> made = lab.rows("SHOW CREATE TABLE dst.thing");
    RowSchema rows = schema("thing", "*id integer", "label character varying(5)", "state integer");
    applied(List.of(altered(before, after), insert(rows, "3", "c", "6")));
    assertThat(lab.rows("SELECT * FROM dst.thing ORDER BY id"))
        .containsExactly("1|a|5", "2|b|5", "3|c|6");
    assertThat(lab.rows("SHOW CREATE TABLE dst.thing")).isEqualTo(made);
    assertThat(defaultOf("state")).isEqualTo("null");
  }

  @Test
  void rowsThatTheTransactionChangedBeforeRefuseTheChange() throws SQLException {
    refused(
        "its transaction has changed rows of the table before",
        insert(ROWS, "3", "c", "3"),
        altered(item(ID, CODE, N), item(ID, CODE)));
    assertThat(typeOf("n")).startsWith("int");
  }

  @Test
  void twoChangesOfOneNameInATransactionAreRefused() throws SQLException {
    SourceColumn note = column(4, "note", "text");
    refused(
        "its transaction has changed column note of it before",
        altered(item(ID, CODE, N), item(ID, CODE, N, note)),
        altered(item(ID, CODE, N, note), item(ID, CODE, N, column(4, "other", "text"))));
    // The table is dropped, and the new one is not made.
    assertThat(
            suspended(
                "root",
                changed("DROP TABLE", item(ID, CODE, N), null),
                changed("CREATE TABLE", null, item(ID, CODE, N))))
        .contains("its transaction has changed table dst.item before");
    assertThat(tables()).isEmpty();
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
  }

  @Test
  void valuesThatAreNotInTheLogAreRefused() throws SQLException {
    refused(
        "what the source's cast to numeric(5,1) makes of them is not known",
        altered(
            item(ID, CODE, column(3, "n", "numeric(9,2)")),
            item(ID, CODE, column(3, "n", "numeric(5,1)"))));
    refused(
        "was added with values that the source computed for each row (random())",
        rewritten(
            item(ID, CODE, N),
            item(ID, CODE, N, column(4, "r", "double precision").defaults("random()", null))));
    refused(
        "the log does not have the values of older rows",
        altered(item(ID, CODE, N), item(ID, CODE, N, column(4, "must", "integer").with(true))));
    refused(
        "the value of older rows cannot be a default of type longblob",
        altered(
            item(ID, CODE, N), item(ID, CODE, N, column(4, "b", "bytea").defaults("x", "\\x00"))));
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
  }

  @Test
  void aTableWithoutRowsIsAlteredToAnyType() throws SQLException {
    lab.run("DELETE FROM dst.item", "ALTER TABLE dst.item ALTER n DROP DEFAULT");
    applied(
        List.of(
            altered(item(ID, CODE, N), item(ID, CODE, column(3, "n", "date"))),
            insert(
                schema("item", "*id integer", "code character varying(5)", "n date"),
                "1",
                "a",
                "2026-01-31")));
    assertThat(lab.rows("SELECT n FROM dst.item")).containsExactly("2026-01-31");
  }

  @Test
  void whatIsNotOursIsNeitherAlteredNorDropped() throws SQLException {
    String ofOther = "ALTER TABLE dst.item COMMENT '" + OTHER.commentOf(ITEM) + "'";
    lab.run(ofOther);
    refused("was made by another task", altered(item(ID, CODE, N), item(ID, CODE)));
    lab.run(ofOther);
    refused("was made by another task", changed("DROP TABLE", item(ID, CODE, N), null));
    lab.run("CREATE TRIGGER dst.fires BEFORE DELETE ON dst.item FOR EACH ROW SET @x = 1");
    refused("has triggers on the target: [fires]", changed("DROP TABLE", item(ID, CODE, N), null));
    lab.run(
        "CREATE TABLE dst.child (id int PRIMARY KEY, item int, FOREIGN KEY (item) REFERENCES"
            + " dst.item (id))");
    refused("foreign key", changed("DROP TABLE", item(ID, CODE, N), null));
    lab.run("CREATE TABLE dst.thing (id int PRIMARY KEY)");
    refused(
        "cannot be renamed from dst.item: both exist",
        altered(item(ID, CODE, N), table("thing", ID, CODE, N)));
  }

  @Test
  void aUserWithoutTheRightSuspendsTheTableAlone() throws SQLException {
    lab.run(
        "DROP USER IF EXISTS maker@'%'",
        "CREATE USER maker@'%'",
        "GRANT ALL ON " + TargetLab.CONTROL + ".* TO maker@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE, TRIGGER, LOCK TABLES, CREATE TEMPORARY TABLES"
            + " ON dst.* TO maker@'%'");
    assertThat(
            suspended(
                "maker", altered(item(ID, CODE, N), item(ID, CODE, N, column(4, "x", "text")))))
        .contains("ALTER", "denied");
  }

  /** The type stays, so nothing but the rewrite says that there are other values. */
  @Test
  void valuesThatAStatementComputedInTheSameTypeAreRefused() throws SQLException {
    refused(
        "its rows were written again by a statement that may have changed values",
        rewritten(item(ID, CODE, N), item(ID, CODE, N)));
    lab.run("DELETE FROM dst.item");
    applied(List.of(rewritten(item(ID, CODE, N), item(ID, CODE, N))));
  }

  /** Frameworks add a column with a default for older rows, and drop that at once. */
  @Test
  void aDefaultThatChangesInTheSameTransactionIsNoObstacle() throws SQLException {
    SourceColumn size = column(4, "size", "integer").defaults("3", "3").with(true);
    SourceColumn plain = column(4, "size", "integer").with(true);
    SourceColumn later = column(3, "n", "integer").defaults("9", null);
    RowSchema rows =
        schema("item", "*id integer", "code character varying(5)", "n integer", "size integer");
    applied(
        List.of(
            altered(item(ID, CODE, N), item(ID, CODE, N, size)),
            altered(item(ID, CODE, N, size), item(ID, CODE, N, plain)),
            insert(rows, "3", "c", "3", "4"),
            altered(item(ID, CODE, N, plain), item(ID, CODE, later, plain))));
    assertThat(lab.rows("SELECT id, size FROM dst.item ORDER BY id"))
        .containsExactly("1|3", "2|3", "3|4");
  }

  @Test
  void aTableThatWasAlteredIsNeitherRenamedNorDroppedInTheSameTransaction() throws SQLException {
    SourceColumn note = column(4, "note", "text");
    refused(
        "its transaction has changed table dst.item before",
        altered(item(ID, CODE, N), item(ID, CODE, N, note)),
        altered(item(ID, CODE, N, note), table("thing", ID, CODE, N, note)));
    refused(
        "its transaction has changed table dst.item before",
        altered(item(ID, CODE, N), item(ID, CODE, N, note)),
        changed("DROP TABLE", item(ID, CODE, N, note), null));
  }

  @Test
  void whatIsNotFollowedIsNoObstacleForRows() throws SQLException {
    SourceColumn note = column(4, "note", "text");
    TaskSettings leaving =
        SUSPENDING
            .with(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED, false)
            .with(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED, false);
    try (BatchApplier applier = applier("root", leaving)) {
      lab.apply(
          applier,
          lab.windowOf(
              List.of(
                  List.of(
                      insert(ROWS, "3", "c", "3"),
                      altered(item(ID, CODE, N), item(ID, CODE, N, note)),
                      changed("DROP TABLE", item(ID, CODE, N, note), null)))));
      assertThat(applier.suspended()).isEmpty();
    }
    assertThat(lab.rows("SELECT COUNT(*) FROM dst.item")).containsExactly("3");
  }

  /** The target need not have all columns, such as those that the source computes. */
  @Test
  void aColumnThatIsMissingOnTheTargetAndStaysIsNoObstacle() throws SQLException {
    SourceColumn twice = column(4, "twice", "integer");
    SourceColumn note = column(5, "note", "text");
    applied(List.of(altered(item(ID, CODE, N, twice), item(ID, CODE, N, twice, note))));
    assertThat(typeOf("note")).isEqualTo("longtext|YES");
  }

  @Test
  void anExpressionThatChangesIsRefused() throws SQLException {
    lab.run("ALTER TABLE dst.item ADD twice int AS (n * 2) STORED");
    assertThat(
            suspended(
                "root",
                rewritten(
                    item(ID, CODE, N, column(4, "twice", "integer").computed("(n * 2)")),
                    item(ID, CODE, N, column(4, "twice", "integer").computed("(n * 3)")))))
        .contains("twice");
  }

  /** The collation of the table is that of its columns, and decides how users compare. */
  @Test
  void aTextThatBecomesWiderKeepsTheCollationOfItsTable() throws SQLException {
    lab.run(
        "DROP TABLE dst.item",
        "CREATE TABLE dst.item (id int PRIMARY KEY, code varchar(5) NULL DEFAULT 'a\\\\''\nb'"
            + " COMMENT 'two\nlines, a \\\\ and ''',"
            + " n int) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        "INSERT INTO dst.item VALUES (1, 'a', 1)");
    SourceColumn wide = column(2, "code", "character varying(9)");
    applied(List.of(altered(item(ID, CODE, N), item(ID, wide, N))));
    assertThat(
            lab.rows(
                "SELECT COLUMN_TYPE, COLLATION_NAME, COLUMN_COMMENT FROM information_schema.COLUMNS"
                    + " WHERE TABLE_SCHEMA = 'dst' AND COLUMN_NAME = 'code'"))
        .containsExactly("varchar(9)|utf8mb4_unicode_ci|two\nlines, a \\ and '");
    lab.run("INSERT INTO dst.item (id) VALUES (2)");
    assertThat(lab.rows("SELECT code FROM dst.item WHERE id = 2")).containsExactly("a\\'\nb");
  }

  @Test
  void aDefaultWithMoreDigitsThanTheTypeIsNoObstacle() throws SQLException {
    SourceColumn price = column(4, "price", "numeric(5,2)").defaults("1.005", "1.01");
    SourceColumn whole = column(5, "whole", "integer").defaults("1.5", "2");
    SourceColumn real = column(6, "real", "real").defaults("0.1234567891", "0.12345679");
    applied(List.of(altered(item(ID, CODE, N), item(ID, CODE, N, price, whole, real))));
    assertThat(lab.rows("SELECT price, whole FROM dst.item")).containsOnly("1.01|2");
  }

  /** Each would stop the task, with all its other tables. */
  @Test
  void whatNeedsAColumnSuspendsTheTableAlone() throws SQLException {
    lab.run("ALTER TABLE dst.item ADD twice int AS (n * 2) STORED");
    refused("could not alter table dst.item", altered(item(ID, CODE, N), item(ID, CODE)));
    lab.run("ALTER TABLE dst.item ADD CHECK (n < 9 OR code = 'x')");
    refused("could not alter table dst.item", altered(item(ID, CODE, N), item(ID, CODE)));
    lab.run(
        "ALTER TABLE dst.item DROP PRIMARY KEY, ADD INDEX (id)",
        "ALTER TABLE dst.item PARTITION BY RANGE (n) (PARTITION p VALUES LESS THAN MAXVALUE)");
    refused("could not alter table dst.item", altered(item(ID, CODE, N), item(ID, CODE)));
    lab.run("ALTER TABLE dst.item MODIFY id int NOT NULL AUTO_INCREMENT");
    refused(
        "dst.item", altered(item(ID, CODE, N), item(column(1, "id", "text").with(true), CODE, N)));
  }

  @Test
  void aNumberThatCountsCannotBecomeNull() throws SQLException {
    lab.run(
        "ALTER TABLE dst.item DROP PRIMARY KEY, ADD UNIQUE (id), ADD UNIQUE (n),"
            + " MODIFY n int NOT NULL AUTO_INCREMENT");
    assertThat(suspended("root", altered(item(ID, CODE, N.with(true)), item(ID, CODE, N))))
        .contains("dst.item");
  }

  /** The server drops no table that another one references, also if that goes as well. */
  @Test
  void tablesThatOneStatementDropsGoInTheOrderOfTheirForeignKeys() throws SQLException {
    lab.run(
        "CREATE TABLE dst.thing (id int PRIMARY KEY, item int, FOREIGN KEY (item) REFERENCES"
            + " dst.item (id))",
        "CREATE TABLE dst.part (id int PRIMARY KEY, thing int, FOREIGN KEY (thing) REFERENCES"
            + " dst.thing (id))");
    applied(List.of(dropped(item(ID, CODE, N), table("part", ID), table("thing", ID))));
    assertThat(tables()).isEmpty();
  }

  /** A server may still do a statement whose answer was lost: then the window looks again. */
  @Test
  void whatAnotherSessionHasDoneMeanwhileDoesNotStopTheTask() throws SQLException {
    for (String sql :
        List.of(
            "ALTER TABLE dst.item ADD n int",
            "ALTER TABLE dst.item RENAME COLUMN gone TO other",
            "ALTER TABLE dst.item DROP COLUMN gone",
            "ALTER TABLE dst.item DROP INDEX gone",
            "ALTER TABLE dst.gone RENAME TO dst.other",
            "CREATE TABLE dst.item (id int PRIMARY KEY)",
            "DROP TABLE dst.gone")) {
      try (TargetConnection session = target("root").connect()) {
        SQLException error = catchThrowableOfType(SQLException.class, () -> session.execute(sql));
        assertThat(session.errors().faultOf(error).rejectsDefinition()).as(sql).isTrue();
      }
    }
  }

  /** The table stays as it is, and the next one is as the first was. */
  private void refused(String why, ChangeEvent... changes) throws SQLException {
    List<String> before = lab.rows("SHOW CREATE TABLE dst.item");
    assertThat(suspended("root", changes)).contains(why);
    assertThat(lab.rows("SELECT id FROM dst.item ORDER BY id")).containsExactly("1", "2");
    if (changes.length == 1) {
      assertThat(lab.rows("SHOW CREATE TABLE dst.item")).isEqualTo(before);
    }
    lab.run("SET foreign_key_checks = 0", "DROP DATABASE dst", "SET foreign_key_checks = 1");
    lab.close();
    open();
  }

  /** The reason for which the table is suspended. */
  private String suspended(String user, ChangeEvent... changes) throws SQLException {
    try (BatchApplier applier = applier(user)) {
      lab.apply(applier, lab.windowOf(List.of(List.of(changes))));
      assertThat(applier.suspended()).hasSize(1);
      SuspendedTable table = applier.suspended().get(0);
      assertThat(table.table().name()).isIn("item", "thing");
      return table.reason();
    }
  }

  private void applied(List<ChangeEvent> transaction) throws SQLException {
    try (BatchApplier applier = applier("root")) {
      lab.apply(applier, lab.windowOf(List.of(transaction)));
      assertThat(applier.suspended()).isEmpty();
    }
  }

  private List<String> tables() throws SQLException {
    return lab.rows(
        "SELECT TABLE_NAME, TABLE_COMMENT FROM information_schema.TABLES"
            + " WHERE TABLE_SCHEMA = 'dst'");
  }

  private String typeOf(String column) throws SQLException {
    return lab.rows(
            "SELECT COLUMN_TYPE, IS_NULLABLE FROM information_schema.COLUMNS"
                + " WHERE TABLE_SCHEMA = 'dst' AND COLUMN_NAME = '"
                + column
                + "'")
        .get(0);
  }

  private String defaultOf(String column) throws SQLException {
    return lab.rows(
            "SELECT COLUMN_DEFAULT FROM information_schema.COLUMNS"
                + " WHERE TABLE_SCHEMA = 'dst' AND COLUMN_NAME = '"
                + column
                + "'")
        .get(0);
  }

  private BatchApplier applier(String user) throws SQLException {
    return applier(user, SUSPENDING);
  }

  private BatchApplier applier(String user, TaskSettings policies) throws SQLException {
    return lab.applier(
        target(user), lab.store().claim("task"), new ApplySettings(policies).marked(MARK));
  }

  private TargetServer target(String user) {
    return new TargetServer(
        kind() == ServerKind.MYSQL ? MariadbDialect.MYSQL : MariadbDialect.INSTANCE,
        new TargetLogin(
            "jdbc:%s://127.0.0.1:%d/dst"
                .formatted(kind().type(), MariadbLab.embedded(kind()).port()),
            user,
            null,
            "test",
            50));
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
    return new SourceColumn(number, name, type, false, null, null, Filling.DEFAULT);
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

  private static ChangeEvent dropped(TableDefinition... tables) {
    return new Definition(
        new DefinitionChanges(
            "DROP TABLE",
            true,
            Map.of(),
            List.of(),
            Arrays.stream(tables)
                .map(table -> new DefinitionChange(table, null, false, false, null))
                .toList()));
  }

  private static ChangeEvent rewritten(TableDefinition before, TableDefinition after) {
    return new Definition(
        new DefinitionChanges(
            "ALTER TABLE",
            false,
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
      String expression,
      String existing,
      Filling filling) {
    SourceColumn with(boolean isNotNull) {
      return new SourceColumn(number, name, type, isNotNull, expression, existing, filling);
    }

    SourceColumn defaults(String newExpression, String ofOlderRows) {
      return new SourceColumn(number, name, type, notNull, newExpression, ofOlderRows, filling);
    }

    SourceColumn computed(String from) {
      return new SourceColumn(number, name, type, notNull, from, null, Filling.GENERATED_STORED);
    }

    ColumnDefinition column() {
      return new ColumnDefinition(
          number, name, type, type, null, notNull, filling, expression, existing, null);
    }
  }
}
