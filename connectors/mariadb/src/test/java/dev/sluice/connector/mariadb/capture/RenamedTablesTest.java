package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.mariadb.capture.LogFixture.fixture;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Captured tables that get other names; a name that begins with "other" is not selected. */
class RenamedTablesTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)";

  /**
   * Renamings as {@code a>b}, new tables as {@code +a}, dropped ones as {@code -a}, obstacles as
   * {@code !a}, rows as {@code a(1, 2)}.
   */
  static List<String> events(List<Transaction> transactions) {
    return transactions.stream()
        .flatMap(transaction -> transaction.changes().stream().map(RenamedTablesTest::event))
        .toList();
  }

  private static String event(ChangeEvent event) {
    if (event instanceof RowChange row) {
      return row.schema().table().name() + MariadbCaptureTest.text(row);
    }
    return String.join(
        " ",
        ((Definition) event)
            .changes().changes().stream().map(RenamedTablesTest::definition).toList());
  }

  private static String definition(DefinitionChange change) {
    if (change.obstacle() != null) {
      return "!" + change.table().name();
    }
    if (change.before() == null) {
      return "+" + change.table().name();
    }
    return change.drops()
        ? "-" + change.table().name()
        : change.before().table().name() + ">" + change.after().table().name();
  }

  @Test
  void aTableGoesOnUnderItsNewName() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "RENAME TABLE t TO u",
          "INSERT INTO u VALUES (2, 2)",
          "ALTER TABLE u RENAME COLUMN v TO w",
          "ALTER TABLE `u` RENAME AS `v`",
          "UPDATE v SET w = 3 WHERE id = 2",
          "ALTER TABLE v ADD COLUMN x INT, RENAME w");
      List<Transaction> read = reader.read(7);
      assertThat(events(read))
          .containsExactly("t+(1, 1)", "t>u", "u+(2, 2)", "u>u", "u>v", "v(2)→(2, 3)", "!v");
      DefinitionChange renamed = HazardsTest.onlyChange(read.get(1));
      assertThat(renamed.before().columns()).hasSize(2).isEqualTo(renamed.after().columns());
      assertThat(renamed.after().keyNames()).containsExactly("id");
      assertThat(fixture.gained).containsOnlyKeys(fixture.table("u"), fixture.table("v"));
    }
  }

  @Test
  void tablesThatAreSwappedKeepTheirRows() {
    try (LogFixture fixture =
            fixture(TABLE, "CREATE TABLE _t_new (id INT PRIMARY KEY, v INT, w INT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "INSERT INTO _t_new VALUES (1, 1, 1)",
          "RENAME TABLE t TO _t_old, _t_new TO t",
          "INSERT INTO t VALUES (2, 2, 2)",
          "DELETE FROM _t_old",
          "DROP TABLE _t_old");
      assertThat(events(reader.read(6)))
          .containsExactly(
              "t+(1, 1)",
              "_t_new+(1, 1, 1)",
              "t>_t_old _t_new>t",
              "t+(2, 2, 2)",
              "_t_old-(1)",
              "-_t_old");
    }
  }

  @Test
  void aTableWhoseRowsAreNotReplicatedIsAnObstacleOfTheNameThatItGets() {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE _t_new LIKE t",
          "INSERT INTO t VALUES (1, 1)",
          "RENAME TABLE t TO _t_old, _t_new TO t",
          "INSERT INTO _t_old VALUES (2, 2)",
          "INSERT INTO s VALUES (1)");
      List<Transaction> read = reader.read(3);
      assertThat(events(read)).containsExactly("t+(1, 1)", "!t", "s+(1)");
      assertThat(HazardsTest.onlyChange(read.get(1)).obstacle())
          .contains("has the rows of " + fixture.table("_t_new"));
      assertThat(fixture.gained).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"other", "elsewhere.t"})
  void aTableThatGetsANameThatIsNotSelectedEndsAndIsAnotherOneIfItComesBack(String name) {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE DATABASE IF NOT EXISTS elsewhere",
          "INSERT INTO t VALUES (1, 1)",
          "RENAME TABLE t TO " + name,
          "INSERT INTO %s VALUES (2, 2)".formatted(name),
          "INSERT INTO s VALUES (1)",
          "ALTER TABLE %s RENAME TO t".formatted(name));
      assertThat(events(reader.read(3))).containsExactly("t+(1, 1)", "s+(1)", "!t");
      assertThat(fixture.gained).isEmpty();
    }
  }

  @Test
  void tablesThatExchangeTheirNamesAreBothAnObstacle() {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("RENAME TABLE t TO x, s TO t, x TO s");
      assertThat(events(reader.read(1))).containsExactly("!t !s");
    }
  }

  @Test
  void aTableOfWhichTheLogSaysNothingBeforeIsNotFollowed() throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)")) {
      fixture.execute("FLUSH BINARY LOGS");
      Position start = fixture.endPosition();
      gainedAtTheEnd(fixture);
      fixture.execute(
          "RENAME TABLE t TO u", "INSERT INTO u VALUES (1, 1)", "INSERT INTO s VALUES (1)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        List<Transaction> read = reader.read(2);
        assertThat(events(read)).containsExactly("!t", "s+(1)");
        assertThat(HazardsTest.onlyChange(read.get(0)).obstacle())
            .contains("no row of table " + fixture.table("t"));
        assertThat(fixture.gained).isEmpty();
      }
    }
  }

  /** As if a capture had read a renaming of t to u that comes next, and journaled nothing. */
  private static void gainedAtTheEnd(LogFixture fixture) {
    fixture.begunWith.add(fixture.table("t"));
    fixture.begunWith.add(fixture.table("s"));
    fixture.gained.put(fixture.table("u"), fixture.end().last());
  }

  @Test
  void nothingIsJournaledUnderANameBeforeItIsRemembered() {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      fixture.killedBehindTheMemoryOf(
          "u", reader, "RENAME TABLE t TO u", "INSERT INTO u VALUES (2, 2)");
      assertThat(events(reader.read(2))).containsExactly("t>u", "u+(2, 2)");
    }
  }

  @Test
  void aNameThatCannotBeRememberedIsAnObstacle() {
    try (LogFixture fixture =
            fixture(TABLE).gaining(table -> Optional.of("the load has not ended")).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("RENAME TABLE t TO u");
      assertThat(HazardsTest.onlyChange(reader.read(1).get(0)).obstacle())
          .contains("since the load has not ended: RENAME TABLE t TO u");
    }
  }

  @Test
  void aStartBehindARenamingKnowsTheName() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1, 1)", "RENAME TABLE t TO u");
      Position behind = reader.read(2).get(1).position();
      fixture.capture().close();
      fixture.execute("INSERT INTO u VALUES (2, 2)", "ALTER TABLE u ADD COLUMN w INT");
      fixture.from(behind).capturing();
      List<Transaction> read = reader.read(2);
      assertThat(events(read)).containsExactly("u+(2, 2)", "u>u");
      assertThat(fixture.gained).containsOnlyKeys(fixture.table("u"));
    }
  }

  /** No statement of the log has made it, and the target may still have the former one's rows. */
  @ParameterizedTest
  @ValueSource(strings = {"u", "other"})
  void aTableThatHasTheFormerNameBehindAStartIsNotTakenForTheRenamedOne(String name)
      throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)", "RENAME TABLE t TO " + name, "INSERT INTO s VALUES (1)");
      reader.read(name.equals("u") ? 3 : 2);
      fixture.capture().close();
      fixture.execute("SET SESSION sql_log_bin = 0", TABLE, "SET SESSION sql_log_bin = 1");
      Position behind = fixture.endPosition();
      fixture.execute("INSERT INTO t VALUES (2, 2)", "INSERT INTO s VALUES (2)");
      fixture.from(behind).capturing();
      assertThat(events(reader.read(1))).containsExactly("s+(2)");
    }
  }

  /** As when logs are rotated. */
  @ParameterizedTest
  @ValueSource(strings = {"u", "other"})
  void aTableThatIsMadeUnderTheFormerNameIsANewOneAlsoBehindAStart(String name) throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "RENAME TABLE t TO " + name,
          "CREATE TABLE t (id INT PRIMARY KEY, w INT) ENGINE=InnoDB",
          "INSERT INTO t VALUES (1, 1)");
      List<String> read = new ArrayList<>(events(reader.read(name.equals("u") ? 3 : 2)));
      read.remove("t>u");
      assertThat(read).containsExactly("+t", "t+(1, 1)");
      fixture.capture().close();
      Position behind = fixture.endPosition();
      fixture.execute("INSERT INTO t VALUES (2, 2)", "INSERT INTO s VALUES (2)");
      fixture.from(behind).capturing();
      assertThat(events(reader.read(2))).containsExactly("t+(2, 2)", "s+(2)");
    }
  }

  /** The name is one of the task's tables again. */
  @Test
  void aNameThatASwapGivesToAnotherTableIsKeptBehindAStart() throws Exception {
    try (LogFixture fixture =
            fixture(TABLE, "CREATE TABLE _t_new (id INT PRIMARY KEY, v INT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "INSERT INTO _t_new VALUES (1, 1)",
          "RENAME TABLE t TO _t_old, _t_new TO t");
      reader.read(3);
      fixture.capture().close();
      Position behind = fixture.endPosition();
      fixture.execute("INSERT INTO t VALUES (2, 2)", "DELETE FROM _t_old");
      fixture.from(behind).capturing();
      assertThat(events(reader.read(2))).containsExactly("t+(2, 2)", "_t_old-(1)");
    }
  }

  @Test
  void aStartBeforeARenamingDoesNotTakeAnEarlierTableOfTheNewNameForIt() throws Exception {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      Position before = fixture.endPosition();
      fixture.execute(
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "INSERT INTO t VALUES (1, 1)",
          "INSERT INTO u VALUES (1)",
          "DROP TABLE u");
      gainedAtTheEnd(fixture);
      fixture.execute("RENAME TABLE t TO u", "INSERT INTO u VALUES (2, 2)");
      fixture.from(before).capturing();
      assertThat(events(reader.read(6)))
          .containsExactly("+u", "t+(1, 1)", "u+(1)", "-u", "t>u", "u+(2, 2)");
      assertThat(fixture.gained).containsOnlyKeys(fixture.table("u"));
    }
  }
}
