package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.MovingPair;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a repair leaves alone: whatever changed after its session has read the rows. */
class TableRepairTest {
  private static final TableId TABLE = MovingPair.table("t");

  private RepairPair both;
  private MovingPair pair;
  private RepairJournal journal;

  RepairPair open() throws Exception {
    return new RepairPair();
  }

  @BeforeEach
  void makeDatabases() throws Exception {
    both = open();
    pair = both.both();
    journal = both.journal();
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, 'right' FROM generate_series(1, 5) i");
  }

  @AfterEach
  void dropDatabases() throws SQLException {
    both.close();
  }

  @Test
  void differingMissingAndExtraRowsBecomeTheSources() throws Exception {
    pair.onTarget(
        "UPDATE app.t SET v = 'wrong' WHERE id = 1",
        "DELETE FROM app.t WHERE id = 2",
        "INSERT INTO app.t VALUES (6, 'extra')");
    RepairOutcome outcome = repair(1, 2, 6);
    assertThat(outcome.count()).isEqualTo(3);
    assertThat(rows()).isEqualTo("1 right,2 right,3 right,4 right,5 right");
  }

  @Test
  void aRowThatSomebodyChangesAfterTheSessionHasReadItIsLeft() throws Exception {
    pair.onTarget("UPDATE app.t SET v = 'wrong' WHERE id IN (1, 2)");
    journal.afterSession = () -> pair.onTarget("UPDATE app.t SET v = 'newer' WHERE id = 1");
    RepairOutcome outcome = repair(1, 2);
    assertThat(outcome.left()).isEqualTo(1);
    assertThat(rows()).startsWith("1 newer,2 right,");
  }

  @Test
  void aMissingRowThatSomebodyInsertsAfterTheSessionHasReadItIsLeft() throws Exception {
    pair.onTarget("DELETE FROM app.t WHERE id IN (1, 2)");
    journal.afterSession = () -> pair.onTarget("INSERT INTO app.t VALUES (1, 'newer')");
    RepairOutcome outcome = repair(1, 2);
    assertThat(outcome.left()).isEqualTo(1);
    assertThat(rows()).startsWith("1 newer,2 right,");
  }

  @Test
  void aRowThatTheJournalHasChangedSinceIsLeftEvenIfItLooksAsItDid() throws Exception {
    pair.onTarget("UPDATE app.t SET v = 'wrong' WHERE id IN (1, 2)");
    // The source makes of row 1 what the target has: the session's value of it is the older one.
    journal.changedSince = List.of(RowKey.of("1"));
    journal.afterSession = () -> pair.onSource("UPDATE app.t SET v = 'wrong' WHERE id = 1");
    RepairOutcome outcome = repair(1, 2);
    assertThat(outcome.left()).isEqualTo(1);
    assertThat(rows()).startsWith("1 wrong,2 right,");
  }

  @Test
  void aRowThatDiffersOnlyInWhatTheTargetComputesIsRefusedByName() throws Exception {
    pair.onSource(
        "ALTER TABLE app.t ADD COLUMN n int, ADD COLUMN total int GENERATED ALWAYS AS (n * 2) STORED",
        "UPDATE app.t SET n = id WHERE id < 3");
    pair.onTarget(
        "ALTER TABLE app.t ADD COLUMN n int, ADD COLUMN total int GENERATED ALWAYS AS (n * 3) STORED",
        "UPDATE app.t SET n = id WHERE id = 1");
    RepairOutcome outcome = repair(1, 2);
    // What can be written is written first.
    assertThat(outcome.count()).isEqualTo(1);
    assertThat(outcome.left()).isEqualTo(1);
    assertThat(pair.onTargetGet("SELECT n FROM app.t WHERE id = 2")).isEqualTo("2");
    RepairOutcome again = repair(1, 2);
    assertThat(again.count()).isZero();
    assertThat(again.refused()).hasSize(2);
    assertThat(again.why().orElseThrow())
        .contains("column total is generated on the target by another expression")
        .contains("ALTER COLUMN total DROP EXPRESSION");
  }

  @Test
  void nothingIsWrittenIntoATableThatWasTruncatedOrAlteredSince() throws Exception {
    pair.onTarget("UPDATE app.t SET v = 'wrong' WHERE id = 1");
    journal.afterSession = () -> journal.voided = Optional.of("it was truncated");
    RepairOutcome outcome = repair(1);
    assertThat(outcome.count()).isZero();
    assertThat(rows()).startsWith("1 wrong,");
  }

  @Test
  void whileTheLaneIsHeldNoSessionIsOpenedOnEitherSide() throws Exception {
    pair.onTarget("UPDATE app.t SET v = 'wrong' WHERE id = 1", "DELETE FROM app.t WHERE id = 2");
    AtomicBoolean held = new AtomicBoolean();
    both.whileHeld(
        () -> {
          assertThat(
                  pair.onTargetGet(
                      "SELECT mode FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE relname = 'checkpoint' AND mode = 'RowShareLock'"))
              .isNotNull();
          pair.acceptSessions(false);
          held.set(true);
        });
    try {
      assertThat(repair(1, 2).count()).isEqualTo(2);
    } finally {
      pair.acceptSessions(true);
    }
    assertThat(held).isTrue();
    assertThat(rows()).startsWith("1 right,2 right,");
  }

  @Test
  void aRowWhoseRepairTakesTooLongIsLeftAndTheLaneIsHeldNoLonger() throws Exception {
    pair.onTarget(
        "CREATE FUNCTION app.sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " PERFORM pg_sleep(3600); RETURN NEW; END $$",
        "CREATE TRIGGER sleep BEFORE UPDATE ON app.t FOR EACH ROW WHEN (NEW.v = 'right')"
            + " EXECUTE FUNCTION app.sleep()",
        "ALTER TABLE app.t ENABLE ALWAYS TRIGGER sleep",
        "UPDATE app.t SET v = 'wrong' WHERE id = 1");
    both.longestHold(Duration.ofSeconds(1));
    RepairOutcome outcome = repair(1);
    assertThat(outcome.left()).isEqualTo(1);
    assertThat(outcome.why()).contains("it takes longer than 1 s");
    // It would wait for an hour if the session still held it.
    pair.onTarget(
        "SET lock_timeout = '5min'", "SELECT * FROM sluice_control.checkpoint FOR UPDATE");
    assertThat(rows()).startsWith("1 wrong,");
  }

  private RepairOutcome repair(int... ids) throws InterruptedException {
    return both.repair(
        TABLE,
        List.of("id"),
        Arrays.stream(ids).mapToObj(String::valueOf).toList(),
        (columns, found) -> found,
        (connection, rows) -> {});
  }

  private String rows() throws SQLException {
    return pair.onTargetGet("SELECT string_agg(id || ' ' || v, ',' ORDER BY id) FROM app.t");
  }
}
