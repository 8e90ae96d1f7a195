package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.repair.RepairOutcome;
import dev.sluice.engine.validate.repair.RepairPair;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.ValidationStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The record of a repair has what was written and what was overwritten, whatever was listed. */
class RepairNotesTest {
  private static final TableId TABLE = new TableId("app", "t");
  private static final RowFailure LISTED =
      new RowFailure(
          TABLE,
          TABLE,
          FailureKind.MISSING_TARGET,
          "{\"id\":\"1\"}",
          Optional.of("{\"id\":\"1\",\"v\":\"older\"}"),
          Optional.empty(),
          "{}",
          new ReadAt(new Position(1), new Position(1)),
          2,
          Optional.empty(),
          Optional.empty());

  private RepairPair pair;
  private ValidationStore store;

  @BeforeEach
  void makeDatabases() throws SQLException {
    pair = new RepairPair();
    pair.both().onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    pair.both().onSource("INSERT INTO app.t VALUES (1, repeat('newer', 2000))");
    pair.both().onTarget("INSERT INTO app.t VALUES (1, repeat('wrong', 3000))");
    store = new ValidationStore(pair.both().targetServer(), RepairPair.CONTROL, RepairPair.TASK);
    store.store(
        pair.claimed(),
        List.of(
            new ValidationStore.Outcome(
                TableCoverage.none(TABLE, "shape"), List.of(LISTED), List.of())));
  }

  @AfterEach
  void dropDatabases() throws SQLException {
    pair.close();
  }

  @Test
  void aRowThatTheSourceChangedSinceItWasListedIsNotedAsItWasWritten() throws Exception {
    assertThat(repair().count()).isEqualTo(1);
    assertThat(noted()).isEqualTo("1 UPSERT RECORD_DIFF newer 10000 wrong 15000 true");
  }

  @Test
  void aRepairedRowThatIsNotOnTheListAnyMoreIsNotedNevertheless() throws Exception {
    pair.both().onTarget("DELETE FROM sluice_control.sluice_validation_failures_v2");
    assertThat(repair().count()).isEqualTo(1);
    assertThat(noted()).isEqualTo("1 UPSERT RECORD_DIFF newer 10000 wrong 15000 true");
  }

  private RepairOutcome repair() throws InterruptedException {
    RowsToRepair listed = new RowsToRepair(TABLE, TABLE, List.of("id"), List.of(LISTED));
    return pair.repair(
        TABLE,
        List.of("id"),
        List.of("1"),
        (columns, found) -> listed.of(columns, found, true),
        (connection, rows) -> store.repaired(connection, TABLE, listed.notes(rows), "this"));
  }

  private String noted() throws SQLException {
    return pair.both()
        .onTargetGet(
            "SELECT string_agg((\"key\"::json ->> 'id') || ' ' || resync_action || ' ' ||"
                + " failure_type || ' ' || left(source_row::json ->> 'v', 5) || ' ' ||"
                + " length(source_row::json ->> 'v') || ' ' || left(target_row::json ->> 'v', 5)"
                + " || ' ' || length(target_row::json ->> 'v') || ' ' || (source_position <> '0/1'"
                + " AND details LIKE '%length 10000, sha256 %' AND resync_id = 'this'"
                + " AND resync_time IS NOT NULL)::text, '; ')"
                + " FROM sluice_control.sluice_validation_failures_v2"
                + " WHERE resync_result = 'REPAIRED'");
  }
}
