package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.repair.RepairOutcome.Refused;
import dev.sluice.engine.validate.session.MovingPair;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that the target rejects, and rows that hold the unique values of others. */
class RefusedRowsTest {
  private static final TableId TABLE = MovingPair.table("seat");

  private final List<String> noted = new ArrayList<>();
  private RepairPair both;
  private MovingPair pair;

  @BeforeEach
  void makeDatabases() throws SQLException {
    both = new RepairPair();
    pair = both.both();
    pair.onBoth(
        "CREATE TABLE app.seat (id int PRIMARY KEY, place int, v text)",
        "INSERT INTO app.seat SELECT i, i * 10, 'right' FROM generate_series(1, 40) i");
    pair.onTarget("ALTER TABLE app.seat ADD UNIQUE (place)");
  }

  @AfterEach
  void dropDatabases() throws SQLException {
    both.close();
  }

  @Test
  void aRowThatTheTargetRejectsIsLeftAndEveryOtherOneIsRepaired() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong'",
        // Values of a unique column, exchanged between two rows.
        "UPDATE app.seat SET place = -1 WHERE id = 1",
        "UPDATE app.seat SET place = 10 WHERE id = 2",
        "UPDATE app.seat SET place = 20 WHERE id = 1",
        "DELETE FROM app.seat WHERE id = 8",
        "ALTER TABLE app.seat ADD CONSTRAINT odd CHECK (id <> 7 OR v <> 'right')");

    RepairOutcome outcome = repair(true, ids(1, 40));

    assertThat(outcome.count()).isEqualTo(39);
    assertThat(outcome.left()).isEqualTo(1);
    assertThat(outcome.refused())
        .extracting(row -> row.row().key())
        .containsExactly(RowKey.of("7"));
    assertThat(outcome.refused()).extracting(Refused::why).first().asString().contains("\"odd\"");
    assertThat(outcome.why().orElseThrow()).contains("the target refuses it").contains("\"odd\"");
    assertThat(differing()).isEqualTo("7");
  }

  @Test
  void aRowThatHasTheValueOfAnotherOneIsComparedAndJoins() throws Exception {
    exchangeOnTarget();

    RepairOutcome outcome = repair(false, "1");

    assertThat(outcome.count()).isEqualTo(2);
    assertThat(differing()).isEqualTo("");
    assertThat(noted).containsExactlyInAnyOrder("UPSERT 1", "UPSERT 2");
  }

  @Test
  void aChainOfValuesIsFollowed() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET place = -id WHERE id <= 3",
        "UPDATE app.seat SET place = 30 WHERE id = 1",
        "UPDATE app.seat SET place = 10 WHERE id = 2",
        "UPDATE app.seat SET place = 20 WHERE id = 3");

    assertThat(repair(false, "1").count()).isEqualTo(3);
    assertThat(differing()).isEqualTo("");
  }

  @Test
  void aMissingRowWhoseValueAnotherOneHasIsInsertedTogetherWithIt() throws Exception {
    pair.onTarget(
        "DELETE FROM app.seat WHERE id = 1", "UPDATE app.seat SET place = 10 WHERE id = 2");

    assertThat(repair(false, "1").count()).isEqualTo(2);
    assertThat(differing()).isEqualTo("");
  }

  @Test
  void aRowThatIsAsOnTheSourceKeepsItsValueAndTheOtherIsRefused() throws Exception {
    // The source has no unique index.
    pair.onSource("UPDATE app.seat SET place = 20 WHERE id = 1");

    RepairOutcome outcome = repair(true, "1", "3");

    assertThat(outcome.count()).isZero();
    assertThat(outcome.refused())
        .extracting(row -> row.row().key())
        .containsExactly(RowKey.of("1"));
    assertThat(pair.onTargetGet("SELECT place FROM app.seat WHERE id = 2")).isEqualTo("20");
    assertThat(noted).isEmpty();
  }

  @Test
  void anExtraRowThatHasTheValueIsDeletedOnlyIfExtraRowsAre() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET place = -1 WHERE id = 1",
        "INSERT INTO app.seat VALUES (99, 10, 'extra')");

    RepairOutcome without = repair(false, "1");

    assertThat(without.count()).isZero();
    assertThat(without.left()).isPositive();
    assertThat(differing()).isEqualTo("1,99");

    assertThat(repair(true, "1").count()).isEqualTo(2);
    assertThat(differing()).isEqualTo("");
    assertThat(noted).containsExactlyInAnyOrder("UPSERT 1", "DELETE 99");
  }

  @Test
  void aRowWhoseValueIsHeldByOneThatKeepsChangingIsLeftAndNotRefused() throws Exception {
    exchangeOnTarget();
    both.journal().changedSince = List.of(RowKey.of("2"));

    RepairOutcome outcome = repair(false, "1");

    assertThat(outcome.count()).isZero();
    assertThat(outcome.left()).isPositive();
    assertThat(outcome.refused()).isEmpty();
    assertThat(differing()).isEqualTo("1,2");
  }

  private void exchangeOnTarget() throws SQLException {
    pair.onTarget(
        "UPDATE app.seat SET place = -1 WHERE id = 1",
        "UPDATE app.seat SET place = 10 WHERE id = 2",
        "UPDATE app.seat SET place = 20 WHERE id = 1");
  }

  private static String[] ids(int first, int last) {
    String[] ids = new String[last - first + 1];
    Arrays.setAll(ids, i -> String.valueOf(first + i));
    return ids;
  }

  private RepairOutcome repair(boolean deleteExtra, String... ids) throws InterruptedException {
    return both.repair(
        TABLE,
        List.of("id"),
        List.of(ids),
        (columns, found) ->
            found.stream().filter(row -> deleteExtra || row.source().isPresent()).toList(),
        (connection, rows) ->
            rows.rows().forEach(row -> noted.add(row.action() + " " + row.key().values().get(0))));
  }

  /** The ids of rows that are not as on the source. */
  private String differing() throws SQLException {
    List<String> source = List.of(rows(true).split(";"));
    List<String> target = List.of(rows(false).split(";"));
    List<String> different = new ArrayList<>(source);
    different.removeAll(target);
    List<String> extra = new ArrayList<>(target);
    extra.removeAll(source);
    different.addAll(extra);
    return String.join(
        ",",
        different.stream()
            .map(row -> Integer.valueOf(row.split(" ")[0]))
            .distinct()
            .sorted()
            .map(String::valueOf)
            .toList());
  }

  private String rows(boolean ofSource) throws SQLException {
    String query = "SELECT string_agg(id || ' ' || place || ' ' || v, ';') FROM app.seat";
    return ofSource ? pair.onSourceGet(query) : pair.onTargetGet(query);
  }
}
