package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The report before a cutover, on real servers. */
@ExtendWith(SharedBroker.class)
class CutoverDryRunTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String ROWS =
      "INSERT INTO item SELECT i, 'n', i FROM generate_series(1, 100) i";

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.builder().setting("max_prepared_transactions", "5").start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aCleanTaskSaysGoAndNothingIsChangedOnEitherSide() throws Exception {
    DdlTask task = DdlTask.make(folder, "clean", source, target, "");
    task.onSource(
        ROWS,
        "CREATE TABLE part (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (100)",
        "CREATE TABLE sold (id serial PRIMARY KEY, item int REFERENCES item CHECK (item > 0))",
        "CREATE INDEX ON sold (item)",
        "CREATE STATISTICS sold_items ON id, item FROM sold");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      List<String> before = state(task);
      Printed text = run("cutover", task.file().toString(), "--dry-run", "--quiet-period");
      Printed json =
          run("cutover", "--dry-run", "--json", "--quiet-period", task.file().toString());

      assertThat(text.text()).startsWith("go: nothing is in the way of a cutover");
      assertThat(text.code()).isZero();
      JsonNode document = StatusJson.tree(json.text());
      assertThat(document.path("go").asBoolean()).isTrue();
      assertThat(document.path("findings").findValuesAsText("weight")).containsOnly("fact");
      assertThat(state(task)).isEqualTo(before);
      assertThat(running.phase()).isEqualTo("replicating");
      assertThat(running.cutover(PATIENCE).success()).isTrue();
      assertThat(run("cutover", "--dry-run", "--quiet-period", task.file().toString()).text())
          .startsWith("go: ")
          .contains("is cut over already");
    }
  }

  @Test
  void openTransactionsAndTheLocksOfPreparedOnesAreBlockersUntilTheyEnd() throws Exception {
    DdlTask task = DdlTask.make(folder, "open", source, target, "");
    task.onSource(ROWS);
    try (RunningDaemon running = RunningDaemon.replicating(task.config());
        Connection writer = source.connect("open");
        Connection reader = source.connect("open")) {
      Sql.execute(writer, "SET application_name = 'till'");
      Sql.execute(writer, "BEGIN; UPDATE item SET name = 'new' WHERE id = 1");
      Sql.execute(reader, "BEGIN; SELECT * FROM item LIMIT 1");
      String pid = Sql.text(writer, "SELECT pg_backend_pid()");

      CutoverReport open = report(running);
      assertThat(open.go()).isFalse();
      Finding found = finding(open, "open-transactions");
      assertThat(found.weight()).isEqualTo("blocker");
      assertThat(found.names())
          .singleElement()
          .asString()
          .contains("process " + pid + " of postgres (till) since 20")
          .contains("RowExclusiveLock on public.item");
      // The same words as the cutover's.
      Outcome refused = running.cutover(Duration.ofMillis(2100));
      assertThat(refused.message())
          .contains(found.found().replaceFirst(" after .*", " after "))
          .contains(found.expected());
      Printed printed = run("cutover", "--dry-run", "--quiet-period", task.file().toString());
      assertThat(printed.code()).isEqualTo(5);
      assertThat(printed.text())
          .startsWith("no-go: 1 blocker")
          .contains("  open-transactions", "process " + pid, "    fix: Stop the applications");

      Sql.execute(writer, "PREPARE TRANSACTION 'left'");
      assertThat(finding(report(running), "open-transactions").names())
          .singleElement()
          .asString()
          .contains("prepared transaction 'left' of postgres since 20")
          .contains("RowExclusiveLock on public.item");

      Sql.execute(writer, "ROLLBACK PREPARED 'left'");
      // One that has written nothing, and may.
      Sql.execute(writer, "BEGIN; LOCK TABLE item IN ROW EXCLUSIVE MODE");
      CutoverReport held = report(running);
      assertThat(kinds(held, Weight.BLOCKER)).isEmpty();
      assertThat(finding(held, "table-locks").names())
          .singleElement()
          .asString()
          .contains("process " + pid)
          .contains("(till)");

      Sql.execute(writer, "ROLLBACK");
      CutoverReport clean = report(running);
      assertThat(clean.go()).as(clean.toString()).isTrue();
      assertThat(finding(clean, "connected-sessions").names())
          .anyMatch(name -> name.equals("postgres, application till, from 127.0.0.1: 1 session"));
    }
  }

  @Test
  void aRoleWithoutRightsSeesUnknownInsteadOfAnError() throws Exception {
    DdlTask task = DdlTask.make(folder, "ordinary", source, target, "");
    task.onSource(
        ROWS,
        "CREATE ROLE plain LOGIN REPLICATION",
        "GRANT CREATE ON DATABASE ordinary TO plain",
        "CREATE ROLE shop LOGIN; GRANT CREATE ON SCHEMA public TO plain",
        "GRANT SELECT, UPDATE ON item TO shop",
        "ALTER TABLE item OWNER TO plain",
        "CREATE PUBLICATION sluice_ordinary FOR TABLE item");
    try (RunningDaemon running = RunningDaemon.replicating(task.configAs("plain"));
        Connection writer =
            DriverManager.getConnection(
                source.jdbcUrl("ordinary").replace("user=postgres", "user=shop"))) {
      Sql.execute(writer, "BEGIN; UPDATE item SET name = 'new' WHERE id = 1");

      CutoverReport report = report(running);

      assertThat(kinds(report, Weight.BLOCKER)).containsExactly("open-transactions");
      assertThat(finding(report, "open-transactions").names())
          .singleElement()
          .asString()
          .contains("of shop")
          .contains("since an unknown time (pg_read_all_stats would show it)")
          .contains("RowExclusiveLock on public.item");
      assertThat(finding(report, "connected-sessions").names())
          .anyMatch(name -> name.contains("shop, application "));
      assertThat(report.findings()).noneMatch(each -> each.kind().equals("not-checked"));
      assertThat(report.findings()).noneMatch(each -> each.kind().equals("no-lock-rights"));
      Sql.execute(writer, "ROLLBACK");
      task.onSource("REVOKE ALL ON item FROM plain; GRANT SELECT ON item TO plain");
      assertThat(finding(report(running), "no-lock-rights").names()).containsExactly("public.item");
    }
  }

  @Test
  void anIndexBuildIsAChoiceWhileItRuns() throws Exception {
    DdlTask task = DdlTask.make(folder, "build", source, target, "");
    task.onSource(ROWS);
    try (RunningDaemon running = RunningDaemon.replicating(task.config());
        Connection holder = source.connect("build")) {
      // The build waits for this transaction.
      Sql.execute(holder, "BEGIN; LOCK TABLE item IN ROW EXCLUSIVE MODE");
      Thread build =
          new Thread(
              () -> {
                try {
                  Sql.execute(source, "build", "CREATE INDEX CONCURRENTLY slow ON item (name)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      build.start();
      await()
          .atMost(PATIENCE)
          .until(
              () -> task.source("SELECT count(*) FROM pg_stat_progress_create_index"), "1"::equals);
      Finding found = finding(report(running), "index-build");
      assertThat(found.weight()).isEqualTo("choice");
      assertThat(found.names())
          .singleElement()
          .asString()
          .startsWith("public.item: process ")
          .endsWith(" of postgres");
      Sql.execute(holder, "ROLLBACK");
      build.join();
      assertThat(report(running).findings()).noneMatch(each -> each.kind().equals("index-build"));
    }
  }

  @Test
  void noLockIsTakenThatAnApplicationCouldWaitFor() throws Exception {
    DdlTask task = DdlTask.make(folder, "locks", source, target, "");
    task.onSource(ROWS);
    try (RunningDaemon running = RunningDaemon.replicating(task.config());
        Connection seen = source.connect("locks")) {
      running.awaitApplied();
      AtomicBoolean ended = new AtomicBoolean();
      List<String> strong = new ArrayList<>();
      Thread watch =
          new Thread(
              () -> {
                try {
                  while (!ended.get()) {
                    String found =
                        Sql.text(
                            seen,
                            "SELECT string_agg(l.mode || ' on ' || c.relname, ', ') FROM pg_locks l"
                                + " JOIN pg_class c ON c.oid = l.relation"
                                + " JOIN pg_stat_activity a ON a.pid = l.pid"
                                + " WHERE a.application_name LIKE 'sluice%' AND c.oid >= 16384"
                                // Tables of our own, which a start still fills.
                                + " AND c.relnamespace::regnamespace::text <> 'sluice_ddl'"
                                + " AND l.mode <> 'AccessShareLock'");
                    if (found != null) {
                      strong.add(found);
                    }
                  }
                } catch (SQLException e) {
                  strong.add(e.toString());
                }
              });
      watch.start();
      for (int i = 0; i < 3; i++) {
        assertThat(report(running).go()).isTrue();
      }
      ended.set(true);
      watch.join();
      assertThat(strong).isEmpty();
      // An application's DDL does not hold the report up, nor the other way round.
      try (Connection ddl = source.connect("locks")) {
        Sql.execute(ddl, "BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE");
        CutoverReport report = report(running);
        assertThat(finding(report, "open-transactions").names())
            .singleElement()
            .asString()
            .contains("AccessExclusiveLock on public.item");
        assertThat(finding(report, "not-checked").found())
            .contains("the lock was not free in 30 s")
            .contains("pid " + Sql.text(ddl, "SELECT pg_backend_pid()"));
        assertThat(kinds(report, Weight.BLOCKER))
            .containsExactly("not-checked", "open-transactions");
        Sql.execute(ddl, "ROLLBACK");
        assertThat(kinds(report(running), Weight.BLOCKER)).isEmpty();
      }
    }
  }

  @Test
  void whatDoesNotComeAlongIsNamedByKindUntilItIsThereOrAccepted() throws Exception {
    DdlTask task = DdlTask.make(folder, "objects", source, target, "");
    String[] here = {
      "CREATE VIEW names AS SELECT name FROM item",
      "CREATE MATERIALIZED VIEW stored AS SELECT name FROM item",
      "CREATE FUNCTION twice(item, int) RETURNS int LANGUAGE sql AS 'SELECT 2 * $2'",
      "CREATE TYPE mood AS ENUM ('sad', 'happy')",
      "CREATE EXTENSION citext",
      "ALTER TABLE item OWNER TO keeper",
      "GRANT SELECT, UPDATE (name) ON item TO seller",
      "GRANT SELECT ON names TO seller",
      "CREATE POLICY own ON item USING (true)",
      "ALTER TABLE item ENABLE ROW LEVEL SECURITY",
      "CREATE RULE quiet AS ON DELETE TO item WHERE OLD.id < 0 DO INSTEAD NOTHING",
      "CREATE INDEX late ON item (price)",
      "CREATE STATISTICS item_pairs ON name, price FROM item"
    };
    for (EmbeddedPostgres server : List.of(source, target)) {
      Sql.execute(server, "postgres", "CREATE ROLE keeper; CREATE ROLE seller");
    }
    task.onSource(ROWS, "CREATE TABLE sold (id serial PRIMARY KEY)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(report(running).go()).as(report(running).toString()).isTrue();
      task.onSource(here);

      CutoverReport report = report(running);

      assertThat(kinds(report, Weight.CHOICE))
          .containsExactlyInAnyOrder(
              "missing-view",
              "missing-materialized-view",
              "missing-function",
              "missing-type",
              "missing-extension",
              "missing-owner",
              "missing-grant",
              "missing-policy",
              "missing-row-security",
              "missing-rule",
              "missing-index",
              "missing-statistics");
      assertThat(finding(report, "missing-view").names()).containsExactly("public.names");
      assertThat(finding(report, "missing-function").names())
          .containsExactly("public: twice(item, integer)");
      assertThat(finding(report, "missing-extension").names()).containsExactly("citext");
      assertThat(finding(report, "missing-owner").names()).containsExactly("public.item: keeper");
      assertThat(finding(report, "missing-index").names()).containsExactly("public.item: late");
      assertThat(finding(report, "missing-grant").names())
          .containsExactly("public.item: SELECT to seller", "public.item: UPDATE (name) to seller");
      assertThat(kinds(report, Weight.BLOCKER)).isEmpty();

      // Accepted, all but one.
      Set<String> accepted =
          report.open(Weight.CHOICE).stream()
              .map(Finding::kind)
              .filter(kind -> !kind.equals("missing-rule"))
              .collect(Collectors.toSet());
      CutoverReport nearly =
          running.daemon().cutoverReport(new CutoverOrder(PATIENCE, Optional.empty(), accepted));
      assertThat(nearly.go()).isFalse();
      assertThat(kinds(nearly, Weight.CHOICE)).containsExactly("missing-rule");
      Outcome refused =
          running.daemon().cutover(new CutoverOrder(PATIENCE, Optional.empty(), accepted));
      assertThat(refused.success()).isFalse();
      assertThat(refused.message()).startsWith("not begun, and nothing is changed");
      assertThat(refused.details())
          .singleElement()
          .asString()
          .startsWith("choice missing-rule: 1 rule: ");
      assertThat(running.phase()).isEqualTo("replicating");

      task.onTarget(here);
      CutoverReport there = report(running);
      assertThat(kinds(there, Weight.CHOICE)).as(there.toString()).isEmpty();
      assertThat(there.go()).isTrue();

      // An index of another name with the same columns is the same.
      task.onTarget("ALTER INDEX late RENAME TO other", "DROP VIEW names");
      assertThat(kinds(report(running), Weight.CHOICE)).containsExactly("missing-view");
      Outcome done =
          running
              .daemon()
              .cutover(new CutoverOrder(PATIENCE, Optional.empty(), Set.of("missing-view")));
      assertThat(done.success()).as(done.message()).isTrue();
      assertThat(done.details()).contains("choices accepted before it: missing-view");
    }
  }

  private static CutoverReport report(RunningDaemon running) throws InterruptedException {
    return running.daemon().cutoverReport(CutoverOrder.quiet(PATIENCE));
  }

  private static List<String> kinds(CutoverReport report, Weight weight) {
    return report.open(weight).stream().map(Finding::kind).toList();
  }

  private static Finding finding(CutoverReport report, String kind) {
    return report.findings().stream()
        .filter(each -> each.kind().equals(kind))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " in " + report));
  }

  /** The definitions of both sides, the control tables, and the marks of the task. */
  private static List<String> state(DdlTask task) throws SQLException {
    String catalog =
        "SELECT c.oid, c.relname, c.xmin, c.relacl FROM pg_class c"
            + " WHERE c.relnamespace <> 'pg_toast'::regnamespace"
            // Statistics are updated at any time.
            + " AND c.oid >= 16384 ORDER BY 1";
    List<String> state = new ArrayList<>();
    for (EmbeddedPostgres server : List.of(source, target)) {
      state.addAll(
          Sql.rows(server, task.name(), catalog.replace("c.xmin, ", "c.relfilenode, c.relkind, ")));
      state.addAll(Sql.rows(server, task.name(), "SELECT oid, * FROM pg_namespace ORDER BY 1"));
      state.addAll(Sql.rows(server, task.name(), "SELECT oid, proname FROM pg_proc ORDER BY 1"));
      state.addAll(Sql.rows(server, task.name(), "SELECT * FROM pg_sequences ORDER BY 1, 2"));
      state.addAll(Sql.rows(server, task.name(), "SELECT oid, * FROM pg_trigger ORDER BY 1"));
    }
    state.addAll(
        Sql.rows(source, task.name(), "SELECT pubname, oid FROM pg_publication ORDER BY 1"));
    state.addAll(
        Sql.rows(
            source,
            task.name(),
            "SELECT slot_name FROM pg_replication_slots WHERE database = current_database()"));
    for (String table :
        List.of(
            "task_step", "completion_step", "sluice_apply_exceptions", "sluice_suspended_tables")) {
      state.add(table);
      state.addAll(
          Sql.rows(
              target,
              task.name(),
              "SELECT t.xmin, t::text FROM sluice_control." + table + " t ORDER BY 2"));
    }
    return state;
  }

  private record Printed(int code, String text) {}

  private static Printed run(String... arguments) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      int code = CommandLines.run(arguments);
      return new Printed(code, bytes.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
  }
}
