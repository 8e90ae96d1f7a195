package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.PATIENCE;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.ids;
import static dev.sluice.connector.postgres.writers.WritersFixture.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A source that was moved is watched, and can be opened again. */
class ReopeningTest {
  private static final String[] TABLES = {
    "CREATE TABLE plain (id int)",
    "CREATE TABLE parted (id int) PARTITION BY RANGE (id)",
    "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)",
  };

  @Test
  void aMovedSourceIsOpenedAgainAndThereIsNoTrace() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      assertThat(source.reopen()).isEmpty();
      source.move("plain", "parted");
      source.execute("CREATE TABLE later PARTITION OF parted FOR VALUES FROM (10) TO (20)");
      assertThat(source.reopen()).containsExactlyElementsOf(ids("low", "parted", "plain"));
      assertThat(source.isUntouched()).isTrue();
      for (String sql :
          List.of(
              "INSERT INTO plain VALUES (1)",
              "INSERT INTO parted VALUES (1)",
              "INSERT INTO later VALUES (11)",
              "TRUNCATE low")) {
        assertThat((Throwable) result(source.async(sql))).isNull();
      }
      assertThat(source.reopen()).isEmpty();
      assertThat(source.opened()).isEmpty();
      source.move("plain", "parted");
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.MOVED);
    }
  }

  @Test
  void reopeningThatBreaksOffIsContinued() throws Exception {
    try (WritersFixture source =
            new WritersFixture("CREATE TABLE a (id int)", "CREATE TABLE b (id int)");
        Connection reader = source.connect()) {
      source.move("a", "b");
      execute(reader, "BEGIN; SELECT FROM b");
      CompletableFuture<List<TableId>> reopening = CompletableFuture.supplyAsync(source::reopen);
      source.awaitTrue("SELECT NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'a'::regclass)");
      // Kills it: it has opened one table, and waits for the other one.
      source.awaitTrue(
          "SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity"
              + " WHERE query LIKE 'DROP TRIGGER%' AND datname = current_database()"
              + " AND application_name LIKE 'sluice%'");
      assertThatThrownBy(() -> result(reopening))
          .hasCauseInstanceOf(SluiceException.Retryable.class);
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.MOVED);
      assertThat(source.opened()).hasSize(1);
      execute(reader, "COMMIT");
      assertThat(source.reopen()).containsExactlyElementsOf(ids("b"));
      assertThat(source.isUntouched()).isTrue();
    }
  }

  @Test
  void whatOtherTasksHaveClosedStaysClosed() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain");
      UUID other = UUID.randomUUID();
      try (StoppedWriters stopped =
          source.writers().stop(new WriterStop.Request(other, ids("parted"), PATIENCE, PATIENCE))) {
        stopped.prepareMove("elsewhere");
        stopped.decide();
      }
      WriterStop.Reopened none =
          source.writers().reopen(new WriterStop.Whose(MOVED_TO, table -> false));
      assertThat(none.opened()).isEmpty();
      WriterStop.Reopened done =
          source.writers().reopen(new WriterStop.Whose(MOVED_TO, table -> true));
      assertThat(done.opened()).containsExactlyElementsOf(ids("plain"));
      assertThat(done.left()).containsExactlyElementsOf(ids("low", "parted"));
      assertThat((Throwable) result(source.async("INSERT INTO plain VALUES (1)"))).isNull();
      assertThat((Throwable) result(source.async("INSERT INTO parted VALUES (1)")))
          .hasMessageContaining("moved to elsewhere");
      assertThat(source.writers().decision(other, PATIENCE)).isEqualTo(Decision.MOVED);
      assertThat(source.writers().opened(Optional.of(other), List.of())).isEmpty();
      source.writers().reopen(new WriterStop.Whose("elsewhere", table -> true));
      assertThat(source.isUntouched()).isTrue();
    }
  }

  @Test
  void aCutoverIsUndoneByItsIdAlone() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      UUID earlier = UUID.randomUUID();
      try (StoppedWriters stopped =
          source
              .writers()
              .stop(new WriterStop.Request(earlier, ids("parted"), PATIENCE, PATIENCE))) {
        stopped.prepareMove(MOVED_TO);
        stopped.decide();
      }
      source.move("plain");
      WriterStop.Reopened done = source.writers().reopen(WriterStop.Whose.only(source.cutover));
      assertThat(done.opened()).containsExactlyElementsOf(ids("plain"));
      assertThat(done.left()).containsExactlyElementsOf(ids("low", "parted"));
      assertThat(source.writers().decision(earlier, PATIENCE)).isEqualTo(Decision.MOVED);
      source.writers().reopen(WriterStop.Whose.only(earlier));
      assertThat(source.isUntouched()).isTrue();
    }
  }

  @Test
  void aSourceThatHasNoTraceOfADecidedCutoverIsAProblem() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain");
      assertThat(source.writers().opened(Optional.of(source.cutover), List.of())).isEmpty();
      source.execute("DROP SCHEMA sluice_moved CASCADE");
      assertThat(source.writers().opened(Optional.of(source.cutover), List.of()))
          .singleElement()
          .asString()
          .contains("no record of cutover " + source.cutover);
      assertThat(source.writers().opened(Optional.empty(), List.of())).isEmpty();
    }
  }

  @Test
  void aClosedTableThatWasDroppedRenamedOrReplacedIsNamed() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain", "parted");
      Optional<UUID> decided = Optional.of(source.cutover);
      List<TableId> tables = ids("plain", "parted");
      assertThat(source.writers().opened(decided, tables)).isEmpty();
      source.alterClosed("ALTER TABLE plain RENAME TO old");
      assertThat(source.writers().opened(decided, tables))
          .singleElement()
          .asString()
          .contains("table public.plain", "dropped or renamed");
      source.execute("CREATE TABLE plain (id int)");
      assertThat(source.writers().opened(decided, tables))
          .singleElement()
          .asString()
          .contains("table public.plain", "another table has its name");
    }
  }

  @Test
  void whatAGivenUpCutoverHasLeftIsRemovedOnceNobodyCouldDecideItAnyMore() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      assertThat(source.writers().tidy()).isFalse();
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
      assertThat(source.writers().tidy()).isFalse();
      assertThat(source.isUntouched()).isFalse();
      source.execute("UPDATE sluice_moved.decision SET decided_at = decided_at - interval '1 day'");
      assertThat(source.writers().tidy()).isTrue();
      assertThat(source.isUntouched()).isTrue();
    }
  }

  @Test
  void onlyWhatIsSluicesOwnIsRemoved() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.execute(
          "CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
          "CREATE TRIGGER own BEFORE INSERT ON plain FOR EACH ROW EXECUTE FUNCTION own()");
      source.move("plain");
      source.execute("CREATE VIEW sluice_moved.of_somebody AS SELECT 1");
      assertThat(source.reopen()).containsExactlyElementsOf(ids("plain"));
      assertThat(source.text("SELECT string_agg(tgname, ',') FROM pg_trigger")).isEqualTo("own");
      assertThat(source.text("SELECT to_regclass('sluice_moved.of_somebody') IS NOT NULL"))
          .isEqualTo("t");
      assertThat(source.text("SELECT to_regclass('sluice_moved.decision') IS NULL")).isEqualTo("t");
    }
  }

  @Test
  void tablesThatAreOpenAreNamedWithTheFix() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      assertThat(source.opened()).isEmpty();
      source.move("plain", "parted");
      assertThat(source.opened()).isEmpty();
      opens(source, "ALTER TABLE plain DISABLE TRIGGER ALL", "is disabled");
      opens(
          source,
          "ALTER TABLE plain DISABLE TRIGGER ALL; ALTER TABLE plain ENABLE TRIGGER ALL",
          "does not fire always");
      opens(source, "DROP TRIGGER \"!sluice_moved\" ON low", "is not there as it was made");
      opens(source, "DROP TRIGGER \"!sluice_moved_rows\" ON parted", "is not there as it was made");
      opens(
          source,
          "CREATE OR REPLACE TRIGGER \"!sluice_moved\" BEFORE INSERT ON plain FOR EACH STATEMENT"
              + " EXECUTE FUNCTION sluice_moved.refuse('x')",
          "is not there as it was made");
    }
  }

  private static void opens(WritersFixture source, String sql, String found) throws SQLException {
    source.alterClosed(sql);
    List<Problem> problems = source.opened();
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).found()).contains(found);
    source.execute(
        problems
            .get(0)
            .fix()
            .replace("Run on the source: ", "")
            .replace(". Copy by hand what was written meanwhile", ""));
    assertThat(source.opened()).isEmpty();
    try (Connection connection = source.connect()) {
      execute(connection, "SET session_replication_role = replica; DELETE FROM plain");
      assertThat(sql).isEqualTo("refused");
    } catch (SQLException refused) {
      source.assertRefused(refused);
    }
  }

  @Test
  void whatBelongsToAnotherRoleIsNeitherUsedNorRemoved() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.execute(
          "CREATE ROLE squatter_" + source.database,
          "CREATE SCHEMA sluice_moved AUTHORIZATION squatter_" + source.database);
      assertThat(source.writers().lacking(ids("plain")))
          .singleElement()
          .satisfies(
              problem ->
                  assertThat(problem.toString())
                      .contains("schema sluice_moved")
                      .contains("belongs to another role"));
      try (StoppedWriters stopped = source.stop("plain")) {
        assertThatThrownBy(() -> stopped.prepareMove(MOVED_TO))
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("belongs to another role");
      }
      source.execute(
          "SET ROLE squatter_" + source.database,
          "CREATE TABLE sluice_moved.decision (cutover uuid, moved boolean)",
          "INSERT INTO sluice_moved.decision VALUES ('" + source.cutover + "', true)",
          "RESET ROLE");
      assertThatThrownBy(() -> source.writers().decision(source.cutover, PATIENCE))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("belongs to another role");
      assertThatThrownBy(source::reopen).isInstanceOf(SluiceException.Fatal.class);
    }
  }

  @Test
  void theTriggersAreNoObjectsThatAreToComeAlong() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      var activity = source.source("postgres", source.port()).activity();
      var before = activity.objects(List.of("public"));
      source.move("plain", "parted");
      assertThat(activity.objects(List.of("public"))).isEqualTo(before);
      assertThat(before).noneMatch(object -> object.kind() == ObjectKind.TRIGGER);
    }
  }

  @Test
  void theReverseRoleMayWrite() throws Exception {
    String role = "reverse_role";
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.execute(
          "CREATE ROLE " + role + " LOGIN", "GRANT ALL ON plain, parted, low TO " + role);
      try {
        source.move("plain", "parted");
        try (Connection reverse = source.connect(role)) {
          assertThatThrownBy(() -> execute(reverse, "INSERT INTO plain VALUES (1)"))
              .hasMessageContaining("was moved");
          source.execute("UPDATE sluice_moved.decision SET reverse_role = '" + role + "'");
          execute(
              reverse,
              "INSERT INTO plain VALUES (1); INSERT INTO parted VALUES (1);"
                  + " UPDATE parted SET id = 2; DELETE FROM low; TRUNCATE plain");
        }
        // Who only takes the role is somebody else.
        source.assertRefused(
            result(source.async("SET ROLE " + role + "; INSERT INTO plain VALUES (1)")));
      } finally {
        source.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
      }
    }
  }
}
