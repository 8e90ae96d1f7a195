package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.status.LoadStatus;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.engine.validate.ComparedTable;
import dev.sluice.engine.validate.TableComparison;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Throttled loads and truncated values, on real servers. */
class LoadCareTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aThrottledLoadReportsItsProgressAndTakesAnotherLimitWhileItRuns() throws Exception {
    TaskConfig config =
        task(
            "throttled",
            "CREATE TABLE many (id int PRIMARY KEY);"
                + " INSERT INTO many SELECT generate_series(1, 20000); ANALYZE many",
            "",
            // Takes a quarter of an hour unless it is tuned.
            "Sluice: { LoadRowsPerSecond: 20 }");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      await("throttled")
          .atMost(PATIENCE)
          .until(() -> running.daemon().status().throughput().throttled());
      await("a share")
          .atMost(PATIENCE)
          .until(
              () -> {
                LoadStatus load = running.daemon().status().fullLoad();
                return load != null && load.percent() > 0 && load.secondsLeft() != null;
              });
      TaskStatus status = running.daemon().status();
      LoadStatus many = status.tables().get(0).fullLoad();
      assertThat(many.state()).isEqualTo("running");
      assertThat(status.latency().targetSeconds()).isNull();
      assertThat(status.backlog().journalRecords()).isNull();
      assertThat(many.expectedRows()).isEqualTo(20_000);
      assertThat(many.rows()).isLessThan(20_000);
      assertThat(many.percent()).isLessThan(100);
      assertThat(status.fullLoad().name()).isEqualTo("0 of 1 table");

      assertThat(running.daemon().tune(Map.of("LoadRowsPerSecond", "0")).success()).isTrue();
      running.awaitPhase("replicating");
      assertThat(text(SERVERS.target(), "throttled", "SELECT count(*) FROM many"))
          .isEqualTo("20000");
      await("done")
          .atMost(PATIENCE)
          .until(() -> running.daemon().status().fullLoad().percent() == 100);
    }
  }

  @Test
  void theCapturePausesIfTheJournalIsFullDuringTheLoadAndNothingIsLost() throws Exception {
    TaskConfig config =
        task(
            "full",
            "CREATE TABLE many (id int PRIMARY KEY, noise bytea);"
                + " ALTER TABLE many ALTER noise SET STORAGE EXTERNAL;"
                + " INSERT INTO many SELECT generate_series(1, 20000); ANALYZE many",
            "",
            // Takes hours unless it is tuned: the journal is full before.
            "Sluice: { LoadRowsPerSecond: 1, JournalLimit: 64 }");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("full-load");
      // Random bytes, since bytes that compress well would not fill the journal.
      for (int id = 1; id <= 26; id++) {
        update(id);
      }
      await("the journal is full")
          .atMost(PATIENCE)
          .until(
              () -> String.valueOf(running.daemon().status().problem()).contains("JOURNAL_FULL"));
      assertThat(running.daemon().status().phase()).isEqualTo("full-load");
      long captured = running.daemon().status().source().changes();
      for (int id = 27; id <= 28; id++) {
        update(id);
      }
      assertThat(running.daemon().status().source().changes()).isEqualTo(captured);

      running.daemon().tune(Map.of("LoadRowsPerSecond", "0"));
      running.awaitPhase("replicating");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      // The last changes may have filled it again.
      await("the journal has room")
          .atMost(PATIENCE)
          .until(
              () -> !String.valueOf(running.daemon().status().problem()).contains("JOURNAL_FULL"));
    }
    String rows = "SELECT md5(string_agg(md5(m::text), '' ORDER BY id)) FROM many m";
    assertThat(text(SERVERS.target(), "full", rows))
        .isEqualTo(text(SERVERS.source(), "full", rows));
  }

  /** Two megabytes, and more than three in the journal, where bytes are text. */
  private static void update(int id) throws Exception {
    execute(
        SERVERS.source(),
        "full",
        "UPDATE many SET noise = (SELECT string_agg(sha256((random() * %d)::text::bytea), '')"
                .formatted(id)
            + " FROM generate_series(1, 65536)) WHERE id = "
            + id);
  }

  @Test
  void valuesAreTruncatedAndCountedInTheLoadAsInChangesAndValidationAllowsForIt() throws Exception {
    String columns = "(id int PRIMARY KEY, t text, v varchar, b bytea, j json)";
    TaskConfig config =
        task(
            "cut",
            "CREATE TABLE docs "
                + columns
                + "; CREATE TABLE bag (t text); ALTER TABLE bag REPLICA IDENTITY FULL;"
                + " CREATE TABLE whole "
                + columns
                + "; INSERT INTO docs "
                + row(1, 3_000)
                + "; INSERT INTO docs "
                + row(2, 100)
                + "; INSERT INTO whole "
                + row(1, 3_000)
                + "; INSERT INTO bag VALUES (repeat('a', 5000)), (repeat('a', 6000))",
            """
                - rule-type: table-settings
                  rule-id: "2"
                  rule-name: whole
                  object-locator: { schema-name: public, table-name: whole }
                  lob-settings: { mode: unlimited }
            """,
            "TargetMetadata: { LimitedSizeLobMode: true, LobMaxSize: 1 }");
    assertThat(TaskChecks.of(TaskContext.of(config)).findings().notes())
        .anyMatch(
            note ->
                note.contains("public.docs")
                    && note.contains("t, v, b")
                    && note.contains("j (json)"))
        .noneMatch(note -> note.contains("public.whole"));
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      assertCut();
      assertThat(running.daemon().status().tables())
          .extracting(table -> table.table() + " " + table.valuesCut())
          .containsExactlyInAnyOrder("bag 2", "docs 3", "whole 0");

      execute(SERVERS.source(), "cut", "INSERT INTO docs " + row(3, 2_000));
      execute(SERVERS.source(), "cut", "UPDATE docs SET t = repeat('ü', 4000) WHERE id = 2");
      execute(SERVERS.source(), "cut", "UPDATE docs SET id = 10 WHERE id = 1");
      execute(SERVERS.source(), "cut", "UPDATE whole SET t = repeat('ü', 4000)");
      execute(SERVERS.source(), "cut", "DELETE FROM bag WHERE length(t) = 6000");
      execute(SERVERS.source(), "cut", "INSERT INTO bag VALUES (repeat('b', 5000))");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertCut();
      assertThat(
              text(
                  SERVERS.target(), "cut", "SELECT string_agg(left(t, 1), '' ORDER BY t) FROM bag"))
          .isEqualTo("ab");
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
    TaskContext parts = TaskContext.of(config);
    List<TableId> tables = List.of(new TableId("public", "docs"), new TableId("public", "whole"));
    assertThat(
            new TableComparison(parts.source().reader(), parts.target(), config.tableMappings())
                .compare(tables))
        .allMatch(table -> table.differing() + table.missing() + table.extra() == 0)
        .extracting(ComparedTable::equal)
        .containsExactly(3L, 1L);
  }

  private static void assertCut() throws Exception {
    String docs = "SELECT string_agg(md5(row(id, %s, %s, %s, j)::text), ' ' ORDER BY id) FROM docs";
    assertThat(text(SERVERS.target(), "cut", docs.formatted("t", "v", "b")))
        .isEqualTo(
            text(
                SERVERS.source(),
                "cut",
                docs.formatted("left(t, 1024)", "left(v, 1024)", "substring(b, 1, 1024)")));
    String whole = "SELECT string_agg(md5(w::text), ' ' ORDER BY id) FROM whole w";
    assertThat(text(SERVERS.target(), "cut", whole))
        .isEqualTo(text(SERVERS.source(), "cut", whole));
  }

  private static String row(int id, int size) {
    return "VALUES (%d, repeat('é', %d), repeat('v', %d), decode(repeat('0a', %d), 'hex'), to_json(repeat('j', %d)))"
        .formatted(id, size, size, size, size);
  }

  private TaskConfig task(String name, String tables, String rules, String setting)
      throws Exception {
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    execute(SERVERS.source(), name, tables);
    Path file =
        Files.writeString(
            folder.resolve(name + ".yaml"),
            """
            task: %s
            migration-type: full-load-and-cdc
            source:
              type: postgresql
              url: postgresql://postgres@127.0.0.1:%d/%s
            target:
              type: postgresql
              url: postgresql://postgres@127.0.0.1:%d/%s
            data-dir: %s
            http: 127.0.0.1:0
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: "1"
                  rule-name: all
                  rule-action: include
                  object-locator: { schema-name: public, table-name: "%%" }
            %s
            task-settings:
              FullLoadSettings: { TargetTablePrepMode: DROP_AND_CREATE }
              ChangeProcessingTuning: { BatchApplyTimeoutMin: 0.1 }
              %s
            """
                .formatted(
                    name,
                    SERVERS.source().port(),
                    name,
                    SERVERS.target().port(),
                    name,
                    folder.resolve(name),
                    rules,
                    setting));
    return TaskFile.read(file, Map.of());
  }
}
