package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.definition.CommittedDefinitions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables that the source gets while a task runs, where CREATE TABLE commits. */
class AddedTablesTest {
  private static final TaskMark MARK = new TaskMark("task", UUID.randomUUID(), "schema x");
  private static final TaskMark OTHER = new TaskMark("task", UUID.randomUUID(), "schema y");
  private static final TaskSettings SUSPENDING =
      TaskSettings.DEFAULTS.with(ErrorBehavior.TABLE_ERROR_POLICY, ErrorAction.SUSPEND_TABLE);
  private static final TableId TABLE = new TableId("dst", "added");
  private static final RowSchema ITEM = schema("item", "*id integer", "name text");
  private static final RowSchema ADDED =
      schema("added", "*id integer", "code character varying(20)", "note text");

  private TargetLab lab;

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @BeforeEach
  void open() throws SQLException {
    lab = MariadbLab.open(kind());
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, name longtext)");
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void aTableIsMadeBeforeItsWindowWhichIsAppliedOnce() throws SQLException {
    try (BatchApplier applier = applier("root")) {
      lab.apply(
          applier,
          lab.windowOf(
              List.of(
                  List.of(new RowChange(ITEM, null, row("1", "before"))),
                  List.of(create(added()), new RowChange(ADDED, null, row("7", "a", null))),
                  List.of(
                      new RowChange(ADDED, null, row("8", "A", "text")),
                      new RowChange(ITEM, null, row("2", "behind"))))));
      assertThat(applier.suspended()).isEmpty();
      lab.apply(
          applier,
          lab.windowOf(List.of(List.of(new RowChange(ADDED, row("7"), row("7", "b", "later"))))));
    }
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id"))
        .containsExactly("1|before", "2|behind");
    assertThat(lab.rows("SELECT * FROM dst.added ORDER BY id"))
        .containsExactly("7|b|later", "8|A|text");
    assertThat(comment()).isEqualTo(MARK.commentOf(TABLE));
    lab.run("INSERT INTO dst.added (note) VALUES ('counted')");
    assertThat(lab.rows("SELECT id, code FROM dst.added WHERE note = 'counted'"))
        .containsExactly("9|none");
    // Texts are told from each other as on the source.
    assertThat(lab.rows("SELECT COUNT(*) FROM dst.added WHERE code = 'a'")).containsExactly("0");
  }

  @Test
  void aKillBehindTheMakingOfATableLosesAndRepeatsNothing() throws SQLException {
    try (TargetConnection killed = target("root").connect()) {
      CommittedDefinitions tables = new CommittedDefinitions(kind(), killed);
      NeededApart needed =
          catchThrowableOfType(
              NeededApart.class, () -> tables.madeApart(added(), TABLE, Optional.of(MARK)));
      killed.rollback();
      needed.make(killed);
    }
    assertThat(lab.rows("SELECT COUNT(*) FROM dst.added")).containsExactly("0");
    try (BatchApplier applier = applier("root")) {
      lab.apply(
          applier,
          lab.windowOf(
              List.of(List.of(create(added()), new RowChange(ADDED, null, row("1", "a", "b"))))));
      assertThat(applier.suspended()).isEmpty();
    }
    assertThat(lab.rows("SELECT * FROM dst.added")).containsExactly("1|a|b");
  }

  @Test
  void aTableOfThatNameThatTheTaskDidNotMakeIsNotTaken() throws SQLException {
    String columns = "(id int PRIMARY KEY, code varchar(20), note longtext)";
    refusedBehind("this task has not made it", "CREATE TABLE dst.added " + columns);
    refusedBehind(
        "this task has not made it",
        "CREATE TABLE dst.added %s COMMENT '%s'".formatted(columns, OTHER.commentOf(TABLE)));
    // One that was renamed has the mark of its former name.
    refusedBehind(
        "this task has not made it",
        "CREATE TABLE dst.added %s COMMENT '%s'"
            .formatted(columns, MARK.commentOf(new TableId("dst", "former"))));
    refusedBehind(
        "it has other columns",
        "CREATE TABLE dst.added (id int PRIMARY KEY, code varchar(20)) COMMENT '%s'"
            .formatted(MARK.commentOf(TABLE)));
    refusedBehind(
        "it has other columns, columns of other types",
        "CREATE TABLE dst.added (id int NOT NULL PRIMARY KEY, code int NOT NULL, note longtext) COMMENT '%s'"
            .formatted(MARK.commentOf(TABLE)));
    refusedBehind(
        "it has rows",
        "CREATE TABLE dst.added %s COMMENT '%s'".formatted(columns, MARK.commentOf(TABLE)),
        "INSERT INTO dst.added (id) VALUES (1)");
  }

  private void refusedBehind(String why, String... statements) throws SQLException {
    lab.run("DROP TABLE IF EXISTS dst.added");
    lab.run(statements);
    List<String> before = lab.rows("SELECT * FROM dst.added");
    String comment = comment();
    assertThat(refusal(added())).contains("dst.added exists already: " + why);
    assertThat(lab.rows("SELECT * FROM dst.added")).isEqualTo(before);
    assertThat(comment()).isEqualTo(comment);
  }

  @Test
  void whatCannotBeMadeIsNamed() throws SQLException {
    assertThat(refusal(table("added", List.of(1), column(1, "id", "text"))))
        .contains("src.added, column id", "belongs to the key");
    assertThat(refusal(table("added", List.of(), column(1, "id", "integer"))))
        .contains("has no primary key");
    ColumnDefinition twice =
        new ColumnDefinition(
            2,
            "twice",
            "integer",
            "23/-1",
            null,
            false,
            Filling.GENERATED_STORED,
            "id * 2",
            null,
            null);
    assertThat(refusal(table("added", List.of(1), column(1, "id", "integer"), twice)))
        .contains("column twice", "is generated");
    assertThat(refusalOf(new TableId("src", "added"), added()))
        .contains("a task writes only to the database of target.url");
    assertThat(lab.rows("SELECT 1 FROM information_schema.TABLES WHERE TABLE_NAME = 'added'"))
        .isEmpty();
  }

  @Test
  void aTableOfEachTypeIsTakenForItsOwnOnceItIsThere() throws SQLException {
    List<String> types =
        List.of(
            "integer",
            "boolean",
            "smallint",
            "bigint",
            "real",
            "double precision",
            "numeric(12,2)",
            "numeric",
            "text",
            "character varying(20)",
            "character(3)",
            "bytea",
            "date",
            "timestamp without time zone",
            "timestamp(3) with time zone",
            "time without time zone",
            "interval",
            "uuid",
            "bit(4)",
            "jsonb",
            "text[]");
    List<ColumnDefinition> columns = new ArrayList<>();
    for (String type : types) {
      columns.add(column(columns.size() + 1, "c" + columns.size(), type));
    }
    TableDefinition each = table("added", List.of(1), columns.toArray(ColumnDefinition[]::new));
    try (TargetConnection connection = target("root").connect()) {
      CommittedDefinitions tables = new CommittedDefinitions(kind(), connection);
      catchThrowableOfType(
              NeededApart.class, () -> tables.madeApart(each, TABLE, Optional.of(MARK)))
          .make(connection);
      assertThat(tables.madeApart(each, TABLE, Optional.of(MARK))).isTrue();
      connection.rollback();
      lab.run("ALTER TABLE dst.added MODIFY c5 float");
      assertThat(refusal(each)).contains("columns of other types");
    }
  }

  /** As in a table that a load makes. */
  @Test
  void aTimeOfASourceThatHasTheTypeStaysOne() throws SQLException {
    ColumnDefinition time =
        new ColumnDefinition(
            2,
            "at",
            "interval(3)",
            "time(3) without time zone",
            null,
            false,
            Filling.DEFAULT,
            null,
            null,
            null);
    TableDefinition timed = table("added", List.of(1), column(1, "id", "integer"), time);
    RowSchema rows = schema("added", "*id integer", "at interval(3)");
    try (BatchApplier applier = applier("root")) {
      lab.apply(
          applier,
          lab.windowOf(
              List.of(
                  List.of(create(timed), new RowChange(rows, null, row("1", "-838:59:58.5"))))));
      assertThat(applier.suspended()).isEmpty();
    }
    assertThat(lab.rows("SELECT `at` FROM dst.added")).containsExactly("-838:59:58.500");
    assertThat(
            lab.rows(
                "SELECT COLUMN_TYPE FROM information_schema.COLUMNS"
                    + " WHERE TABLE_SCHEMA = 'dst' AND TABLE_NAME = 'added' AND COLUMN_NAME = 'at'"))
        .containsExactly("time(3)");
  }

  @Test
  void partitionsNeedNothingSinceTheirRootHasTheRows() throws SQLException {
    TableDefinition part =
        TargetLab.table(
            "item_2024",
            new Partition(ITEM.table(), ITEM.table(), "FOR VALUES IN ('1')", "id = 1"),
            "id",
            "name");
    try (BatchApplier applier = applier("root")) {
      lab.apply(
          applier,
          lab.windowOf(
              List.of(
                  List.of(
                      TargetLab.definition("CREATE TABLE", null, part),
                      new RowChange(ITEM, null, row("1", "below"))))));
      assertThat(applier.suspended()).isEmpty();
    }
    assertThat(lab.rows("SELECT * FROM dst.item")).containsExactly("1|below");
    assertThat(lab.rows("SELECT 1 FROM information_schema.TABLES WHERE TABLE_NAME = 'item_2024'"))
        .isEmpty();
  }

  @Test
  void aTableIsSuspendedAloneIfTheUserMayNotMakeIt() throws SQLException {
    lab.run(
        "DROP USER IF EXISTS maker@'%'",
        "CREATE USER maker@'%'",
        "GRANT ALL ON " + TargetLab.CONTROL + ".* TO maker@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE, ALTER, TRIGGER, LOCK TABLES, CREATE TEMPORARY TABLES"
            + " ON dst.* TO maker@'%'");
    try (BatchApplier applier = applier("maker")) {
      lab.apply(
          applier,
          lab.windowOf(
              List.of(
                  List.of(create(added()), new RowChange(ADDED, null, row("1", "a", "b"))),
                  List.of(new RowChange(ITEM, null, row("1", "other"))))));
      assertThat(applier.suspended())
          .extracting(SuspendedTable::table)
          .containsExactly(ADDED.table());
      assertThat(applier.suspended().get(0).reason())
          .contains("create table dst.added", "CREATE", "denied");
    }
    assertThat(lab.rows("SELECT * FROM dst.item")).containsExactly("1|other");
  }

  @Test
  void aNameWithUpperCaseIsRefusedWhereCasesAreNotToldApart() throws SQLException {
    assumeTrue(kind() == ServerKind.MARIADB, "MySQL takes that setting at its first start only");
    try (EmbeddedServer server =
            EmbeddedMariadb.builder().setting("lower-case-table-names", "1").start();
        TargetConnection connection = MariadbLab.target(kind(), server.port()).connect()) {
      CommittedDefinitions tables = new CommittedDefinitions(kind(), connection);
      assertThatThrownBy(
              () ->
                  tables.madeApart(
                      table("Added", List.of(1), column(1, "id", "integer")),
                      new TableId("test", "Added"),
                      Optional.of(MARK)))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("ignores the case of names");
    }
  }

  private String refusal(TableDefinition definition) throws SQLException {
    return refusalOf(TABLE, definition);
  }

  private String refusalOf(TableId name, TableDefinition definition) throws SQLException {
    try (TargetConnection connection = target("root").connect()) {
      return catchThrowableOfType(
              SluiceException.Data.class,
              () ->
                  new CommittedDefinitions(kind(), connection)
                      .madeApart(definition, name, Optional.of(MARK)))
          .getMessage();
    }
  }

  private String comment() throws SQLException {
    return lab.rows(
            "SELECT TABLE_COMMENT FROM information_schema.TABLES"
                + " WHERE TABLE_SCHEMA = 'dst' AND TABLE_NAME = 'added'")
        .get(0);
  }

  private BatchApplier applier(String user) throws SQLException {
    return lab.applier(
        target(user), lab.store().claim("task"), new ApplySettings(SUSPENDING).marked(MARK));
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

  private static ChangeEvent create(TableDefinition definition) {
    return TargetLab.definition("CREATE TABLE", null, definition);
  }

  private static TableDefinition added() {
    return table(
        "added",
        List.of(1),
        new ColumnDefinition(
            1, "id", "integer", "23/-1", null, true, Filling.IDENTITY_BY_DEFAULT, null, null, null),
        new ColumnDefinition(
            2,
            "code",
            "character varying(20)",
            "1043/24",
            null,
            true,
            Filling.DEFAULT,
            "'none'::character varying",
            null,
            null),
        column(3, "note", "text"));
  }

  private static TableDefinition table(
      String name, List<Integer> key, ColumnDefinition... columns) {
    return new TableDefinition(new TableId("src", name), null, null, key, List.of(columns));
  }

  private static ColumnDefinition column(int number, String name, String type) {
    return new ColumnDefinition(
        number, name, type, type, null, number == 1, Filling.DEFAULT, null, null, null);
  }
}
