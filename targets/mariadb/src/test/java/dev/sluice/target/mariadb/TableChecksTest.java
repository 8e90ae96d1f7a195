package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetChecks.Expected;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the check refuses, an applier refuses as well: a table may become unfit while a task runs.
 */
class TableChecksTest {
  private static final RowSchema ITEM = schema("item", "*id text", "note text");

  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = MariadbLab.open();
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void aTableThatFitsHasNoProblems() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_nopad_bin PRIMARY KEY, note longtext");
    assertThat(problems()).isEmpty();
    apply(net(keyed(ITEM, insert(row("a", "x")))));
    assertThat(lab.rows("SELECT * FROM dst.item")).containsExactly("a|x");
  }

  @Test
  void aKeyInWhichCaseDoesNotCountIsRefusedWithItsFix() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_general_ci PRIMARY KEY, note longtext");
    Problem problem = onlyProblem();
    assertThat(problem.toString()).contains("dst.item", "id", "utf8mb4_general_ci", "binary");
    assertRefused();
    lab.run(problem.fix().replace("Run: ", ""));
    assertThat(problems()).isEmpty();
    apply(net(keyed(ITEM, insert(row("a", "x")), insert(row("A", "y")))));
    assertThat(lab.rows("SELECT id FROM dst.item")).containsExactlyInAnyOrder("a", "A");
  }

  @Test
  void aTableWithoutTransactionsIsRefusedWithItsFix() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, note longtext");
    lab.run("ALTER TABLE dst.item ENGINE = Aria");
    Problem problem = onlyProblem();
    assertThat(problem.toString()).contains("Aria", "InnoDB");
    assertRefused();
    lab.run(problem.fix().replaceAll("Run: (.*);.*", "$1"));
    assertThat(problems()).isEmpty();
  }

  @Test
  void aTriggerIsRefusedByItsName() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, note longtext");
    lab.run("CREATE TRIGGER dst.acts BEFORE INSERT ON dst.item FOR EACH ROW SET NEW.note = 'no'");
    assertThat(onlyProblem().toString()).contains("trigger acts", "cutover");
    assertThatThrownBy(() -> apply(net(keyed(ITEM, insert(row("a", "x"))))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("trigger acts");
    assertThat(lab.rows("SELECT * FROM dst.item")).isEmpty();
  }

  @Test
  void aColumnThatNoValueCanBeWrittenToIsRefusedByItsName() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, note point");
    assertThat(onlyProblem().toString()).contains("note", "point");
    assertRefused();
  }

  @Test
  void aColumnThatRoundsIsRefusedWithItsFix() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, note double(10,2)");
    Problem problem = onlyProblem();
    assertThat(problem.toString()).contains("note", "double(10,2)", "rounds");
    assertRefused();
    lab.run(problem.fix().replace("Run: ", ""));
    assertThat(problems()).isEmpty();
  }

  @Test
  void aKeyThatEachUpdateSetsIsRefusedWithItsFix() throws SQLException {
    create(
        "id datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)"
            + " PRIMARY KEY, note longtext");
    Problem problem = onlyProblem();
    assertThat(problem.toString()).contains("key column id", "ON UPDATE");
    assertRefused();
    lab.run(problem.fix().replace("Run: ", ""));
    assertThat(problems()).isEmpty();
  }

  @Test
  void rowsWithoutAKeyAreRefused() throws SQLException {
    create("id varchar(20), note longtext");
    RowSchema keyless = schema("item", "id text", "note text");
    List<Problem> problems =
        TargetChecks.check(lab.server(), List.of(), List.of(expected(keyless))).all();
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).toString()).contains("dst.item", "without a key");
    assertThatThrownBy(
            () ->
                apply(
                    net(
                        new TableChanges.Multiset(
                            keyless,
                            List.of(),
                            List.of(),
                            List.of(new TableChanges.Copies(row("a", "x"), 1))))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("without a key");
    assertThat(lab.rows("SELECT * FROM dst.item")).isEmpty();
  }

  @Test
  void allProblemsOfAllTablesComeAtOnce() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_general_ci PRIMARY KEY, note point");
    lab.run("ALTER TABLE dst.item ENGINE = Aria");
    lab.run("CREATE TRIGGER dst.acts BEFORE INSERT ON dst.item FOR EACH ROW SET @a = 1");
    assertThat(problems()).hasSize(4);
  }

  @Test
  void missingRightsAreNamedWithTheirGrants() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, note longtext");
    lab.run(
        "CREATE OR REPLACE USER loader",
        "GRANT SELECT, CREATE TEMPORARY TABLES ON test.* TO loader",
        "GRANT SELECT, INSERT ON dst.* TO loader");
    TargetServer server =
        new TargetServer(
            MariadbDialect.INSTANCE,
            new TargetLogin(
                "jdbc:mariadb://127.0.0.1:" + MariadbLab.embedded().port() + "/test",
                "loader",
                null,
                "test",
                50));
    List<Problem> problems =
        TargetChecks.check(server, List.of("own"), List.of(expected(ITEM))).all();
    assertThat(problems.stream().map(Problem::fix))
        .containsExactlyInAnyOrder(
            "Run: GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON `own`.* TO"
                + " the user of target.url",
            "Run: GRANT UPDATE, DELETE ON `dst`.`item` TO the user of target.url",
            "Run: GRANT TRIGGER ON `dst`.`item` TO the user of target.url");
    lab.run(
        "GRANT UPDATE, DELETE, TRIGGER ON dst.item TO loader",
        "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON own.* TO loader");
    assertThat(TargetChecks.check(server, List.of("own"), List.of(expected(ITEM))).all()).isEmpty();
    lab.run("DROP USER loader");
  }

  @Test
  void settingsOfTheServerThatLoseCommitsOrRowsAreRefused() throws SQLException {
    create("id varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, note longtext");
    try (BatchApplier applier = lab.applier(0)) {
      lab.run(
          "SET GLOBAL read_only = ON",
          "SET GLOBAL local_infile = OFF",
          "SET GLOBAL sync_binlog = 0",
          "SET GLOBAL binlog_format = MIXED");
      assertThat(problems()).hasSize(4);
      assertThat(problems().toString())
          .contains(
              "read_only is ON",
              "local_infile is OFF",
              "sync_binlog is 0",
              "binlog_format is MIXED");
      assertThatThrownBy(applier::makeDurable)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("sync_binlog is 0");
    } finally {
      lab.run(
          "SET GLOBAL read_only = OFF",
          "SET GLOBAL local_infile = ON",
          "SET GLOBAL sync_binlog = 1",
          "SET GLOBAL binlog_format = ROW");
    }
    assertThat(problems()).isEmpty();
  }

  /** Such a server makes and shows a table under another name. */
  @Test
  void aNameWithUpperCaseIsRefusedWhereTheServerDoesNotTellCasesApart() {
    Expected upper =
        new Expected(new TableId("test", "Item"), ITEM.table(), ITEM.columns(), Set.of(), true);
    assertThat(TargetChecks.check(lab.server(), List.of(), List.of(upper)).problems()).isEmpty();
    try (EmbeddedMariadb lowering =
        EmbeddedMariadb.builder().fsync().setting("lower-case-table-names", "1").start()) {
      assertThat(
              TargetChecks.check(MariadbLab.target(lowering.port()), List.of(), List.of(upper))
                  .problems())
          .singleElement()
          .extracting(Problem::toString)
          .asString()
          .contains("test.Item", "upper case", "convert-lowercase");
    }
  }

  private void create(String columns) throws SQLException {
    lab.run("CREATE TABLE dst.item (" + columns + ") CHARACTER SET utf8mb4");
  }

  private static Expected expected(RowSchema schema) {
    return new Expected(
        new TableId("dst", "item"), schema.table(), schema.columns(), Set.of(), false);
  }

  private List<Problem> problems() {
    return TargetChecks.check(lab.server(), List.of(), List.of(expected(ITEM))).all();
  }

  private Problem onlyProblem() {
    assertThat(problems()).hasSize(1);
    return problems().get(0);
  }

  private void assertRefused() throws SQLException {
    assertThatThrownBy(() -> apply(net(keyed(ITEM, insert(row("a", null))))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("dst.item");
    assertThat(lab.rows("SELECT * FROM dst.item")).isEmpty();
  }

  private void apply(Round round) throws SQLException {
    try (BatchApplier applier = lab.applier(0)) {
      lab.apply(applier, lab.window(round));
    }
  }
}
