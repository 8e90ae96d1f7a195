package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.validate.session.MovingPair;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A repair asks PostgreSQL for a durable commit. */
class DurableRepairTest {

  @Test
  void theRepairAndItsNoteAreDurableWhateverTheDatabaseSays() throws Exception {
    try (RepairPair both = new RepairPair()) {
      MovingPair pair = both.both();
      pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
      pair.onSource("INSERT INTO app.t VALUES (1, 'right')");
      pair.onTarget(
          "INSERT INTO app.t VALUES (1, 'wrong')",
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
              + " current_database()); END $$",
          "CREATE TABLE app.seen (setting text)",
          "CREATE FUNCTION app.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO"
              + " app.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$",
          "CREATE TRIGGER see AFTER UPDATE ON app.t EXECUTE FUNCTION app.see()",
          "ALTER TABLE app.t ENABLE ALWAYS TRIGGER see");
      RepairOutcome outcome =
          both.repair(
              MovingPair.table("t"),
              List.of("id"),
              List.of("1"),
              (columns, found) -> found,
              (connection, rows) -> {});
      assertThat(outcome.count()).isEqualTo(1);
      assertThat(pair.onTargetGet("SELECT string_agg(DISTINCT setting, ',') FROM app.seen"))
          .isEqualTo("on");
    }
  }
}
