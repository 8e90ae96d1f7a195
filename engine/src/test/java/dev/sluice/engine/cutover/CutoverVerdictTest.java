package dev.sluice.engine.cutover;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.SourceWatchStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A cutover is done only if the target has everything and the source is quiet. */
@ExtendWith(SharedBroker.class)
class CutoverVerdictTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String VALIDATED =
      "SELECT bool_and(convalidated) FROM pg_constraint WHERE contype = 'f'";

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() throws Exception {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
    // Without the right to event triggers, and without one to see other roles' sessions.
    execute(source, "postgres", "CREATE ROLE migrator LOGIN REPLICATION");
    execute(source, "postgres", "CREATE ROLE app LOGIN");
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void allThatTheTargetLacksIsNamedAtOnceByTheCutoverAndByWait() throws Exception {
    TaskConfig config = ofOrdinaryRole("lacking", "{}");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      execute(target, "lacking", "DELETE FROM shop.item WHERE id = 1");
      execute(source, "lacking", "UPDATE shop.item SET name = 'lost' WHERE id = 1");
      execute(
          source,
          "lacking",
          "SET ROLE migrator; CREATE TABLE shop.later (id int PRIMARY KEY);"
              + " INSERT INTO shop.later VALUES (1); CREATE TABLE shop.copied AS SELECT 1 AS n;"
              + " CREATE SEQUENCE shop.tickets; SELECT nextval('shop.tickets')");

      Outcome waited = running.daemon().fence(PATIENCE);
      assertThat(waited.ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(waited.details())
          .hasSize(3)
          .anyMatch(line -> line.contains("shop.item") && line.contains("rejected 1 change"))
          .anyMatch(line -> line.contains("shop.later") && line.contains("does not follow it"))
          .anyMatch(line -> line.contains("shop.copied") && line.contains("does not follow it"));

      List<Finding> foretold = blockers(running);
      assertThat(foretold)
          .extracting(Finding::kind)
          .containsExactly(
              "rejected-changes", "not-followed", "not-followed", "sequences-not-settable");

      Outcome refused = running.daemon().cutover(PATIENCE);
      assertThat(refused.ending()).isEqualTo(Ending.FAILED);
      assertThat(foretold)
          .allSatisfy(
              finding -> assertThat(refused.message()).contains(finding.found(), finding.fix()));
      assertThat(refused.message())
          .contains("table shop.item")
          .contains("table shop.later")
          .contains("table shop.copied")
          .contains("target sequence shop.tickets: is not there");
      assertThat(running.phase()).isEqualTo("replicating");

      execute(source, "lacking", "DROP TABLE shop.later, shop.copied");
      execute(target, "lacking", "INSERT INTO shop.item VALUES (1, 'lost')");
      execute(target, "lacking", forgetting(refused.message()));
      assertThat(running.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.DONE);
      assertThat(running.daemon().cutover(PATIENCE).message())
          .contains("shop.tickets")
          .doesNotContain("shop.item");
      assertThat(running.phase()).isEqualTo("replicating");

      assertThat(blockers(running))
          .extracting(Finding::kind)
          .containsExactly("sequences-not-settable");
      execute(target, "lacking", "CREATE SEQUENCE shop.tickets");
      assertThat(blockers(running)).isEmpty();
      Outcome done = running.daemon().cutover(PATIENCE);
      assertThat(done.success()).as(done.message()).isTrue();
      assertThat(text(target, "lacking", "SELECT nextval('shop.tickets')")).isEqualTo("2");
    }
  }

  @Test
  void aPublicationThatSendsLessThanBeforeStopsTheTaskAndKeepsWaitAndCutoverFromSucceeding()
      throws Exception {
    TaskConfig config = ofOrdinaryRole("narrowed", "{}");
    String whole = "ALTER PUBLICATION sluice_narrowed SET TABLE ONLY shop.item;";
    for (String[] each :
        new String[][] {
          {
            "ALTER PUBLICATION sluice_narrowed SET TABLE ONLY shop.item WHERE (id > 1)",
            "it sends only the rows where (id > 1) of table shop.item"
          },
          {
            "ALTER PUBLICATION sluice_narrowed SET TABLE ONLY shop.item (id)",
            "it has a column list for table shop.item"
          },
          {"ALTER PUBLICATION sluice_narrowed SET (publish = 'insert')", "it leaves operations out"}
        }) {
      RunningDaemon running = RunningDaemon.start(config);
      running.awaitPhase("replicating");
      execute(source, "narrowed", each[0]);
      assertThatThrownBy(running::awaitEnd)
          .hasMessageContaining("publication sluice_narrowed: " + each[1])
          .hasMessageContaining("sluice resync");
      assertThat(Gap.problems(new Coverage(TaskContext.of(config)).ofChanges()))
          .singleElement()
          .asString()
          .contains("publication sluice_narrowed: " + each[1]);
      assertThat(TaskChecks.of(config).findings().problems()).as(each[0]).isNotEmpty();
      execute(source, "narrowed", whole);
    }
  }

  @Test
  void aWaitForATaskThatFailsReturnsAtOnce() throws Exception {
    TaskConfig config = task("failing", "{}");
    RunningDaemon running = RunningDaemon.start(config);
    running.awaitPhase("replicating");
    CompletableFuture<Outcome> waiting;
    try (Connection holder = target.connect("failing")) {
      holder.setAutoCommit(false);
      execute(holder, "LOCK TABLE shop.item IN ACCESS EXCLUSIVE MODE");
      execute(source, "failing", "INSERT INTO shop.item VALUES (3, 'waits')");
      waiting = waiting(running);
      execute(source, "failing", "ALTER PUBLICATION sluice_failing SET (publish = 'insert')");
      assertThatThrownBy(running::awaitEnd).hasMessageContaining("operations out");
      holder.rollback();
    }
    Outcome told = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(told.ending()).isEqualTo(Ending.FAILED);
    assertThat(told.message()).contains("the task has failed").contains("operations out");
  }

  /** For longer than any test may take. */
  private static CompletableFuture<Outcome> waiting(RunningDaemon running) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return running.daemon().fence(Duration.ofDays(1));
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void whoWritesOrDrawsNumbersNowAndThenKeepsTheCutoverFromSucceedingAndIsNamed() throws Exception {
    TaskConfig config = task("writers", "{CutoverQuietTime: 2}");
    execute(source, "writers", "CREATE SEQUENCE shop.tickets");
    execute(target, "writers", "CREATE SCHEMA shop; CREATE SEQUENCE shop.tickets");
    try (RunningDaemon running = RunningDaemon.start(config);
        Connection writer = source.connect("writers")) {
      running.awaitPhase("replicating");
      Outcome written =
          cutoverWhile(
              running, writer, "INSERT INTO shop.item SELECT max(id) + 1, 'late' FROM shop.item");
      assertThat(written.ending()).isEqualTo(Ending.FAILED);
      assertThat(written.message())
          .contains("shop.item=")
          .contains("process " + text(writer, "SELECT pg_backend_pid()"));

      Outcome drawn = cutoverWhile(running, writer, "SELECT nextval('shop.tickets')");
      assertThat(drawn.ending()).isEqualTo(Ending.FAILED);
      assertThat(drawn.message()).contains("shop.tickets (");
      assertThat(running.phase()).isEqualTo("replicating");

      // What moves the end of the log and is no write.
      CompletableFuture<Outcome> verdict = order(running);
      awaitStep(running, "must be quiet", "done");
      execute(source, "postgres", "CREATE TABLE elsewhere (id int); SELECT pg_switch_wal()");
      execute(source, "postgres", "CHECKPOINT");
      execute(source, "writers", "SELECT pg_logical_emit_message(true, 'other', 'x')");
      execute(source, "writers", "VACUUM shop.item");
      Outcome done = verdict.get(10, TimeUnit.MINUTES);
      assertThat(done.ending()).as(done.message()).isEqualTo(Ending.DONE);
      assertThat(done.details()).anyMatch(line -> line.startsWith("still connected"));
    }
  }

  @Test
  void whatIsWrittenOnTheSourceAfterTheCutoverIsAProblemUntilTheEnd() throws Exception {
    TaskConfig config = task("after", "{CutoverQuietTime: 0.1}");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      assertThat(running.daemon().cutover(PATIENCE).ending()).isEqualTo(Ending.DONE);
      assertThat(running.daemon().status().problem()).isNull();
      execute(
          source,
          "after",
          "INSERT INTO shop.item SELECT g, 'late' FROM generate_series(11, 13) g; CREATE SCHEMA"
              + " other; CREATE TABLE other.t (id int); INSERT INTO other.t VALUES (1)");
      awaitWritten(running, 3);
      assertThat(running.daemon().status().problem()).contains("shop.item 3 changes");
      assertThat(running.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
    }
    execute(source, "after", "TRUNCATE shop.item");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      awaitWritten(again, 4);
      Outcome asked = again.daemon().cutover(PATIENCE);
      assertThat(asked.ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(asked.message()).contains("cut over already").contains("shop.item 4 changes");
    }
  }

  @Test
  void aCutoverIsDoneWhenTheTargetCanBeUsedAndItsConstraintsAreValidatedAfterThat()
      throws Exception {
    TaskConfig config = task("validated", "{CutoverQuietTime: 0.1}");
    execute(
        source,
        "validated",
        "CREATE TABLE shop.sold (id int PRIMARY KEY, item int REFERENCES shop.item)");
    try (RunningDaemon running = RunningDaemon.start(config);
        Connection holder = target.connect("validated")) {
      running.awaitPhase("replicating");
      // Of all that is still to be made, only a validation meets this lock.
      execute(
          target,
          "validated",
          """
          CREATE FUNCTION public.hold() RETURNS event_trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF current_query() LIKE '%VALIDATE CONSTRAINT%'
            THEN PERFORM pg_advisory_xact_lock_shared(42);
            END IF;
          END $$;
          CREATE EVENT TRIGGER hold ON ddl_command_start EXECUTE FUNCTION public.hold();
          ALTER EVENT TRIGGER hold ENABLE ALWAYS
          """);
      execute(holder, "SELECT pg_advisory_lock(42)");
      Outcome done = running.daemon().cutover(PATIENCE);
      assertThat(done.ending()).isEqualTo(Ending.DONE);
      assertThat(done.message()).contains("constraints are being validated");
      assertThat(running.phase()).isEqualTo("cut-over");
      assertThat(running.daemon().status().cutover().result()).isEqualTo("done");
      assertThat(text(target, "validated", VALIDATED)).isEqualTo("f");
      assertThat(running.daemon().cutover(Duration.ZERO).ending()).isEqualTo(Ending.DONE);
    }
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      await().atMost(PATIENCE).until(() -> text(target, "validated", VALIDATED).equals("t"));
    }
  }

  @Test
  void whatWouldRunWithTheLoadersRightsIsNotMadeWithoutConsentAndNamedInTheAnswer()
      throws Exception {
    TaskConfig config = task("unconsented", "{CutoverQuietTime: 0.1}");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      execute(
          source,
          "unconsented",
          "CREATE FUNCTION shop.own(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS"
              + " 'BEGIN RETURN true; END';"
              + " ALTER TABLE shop.item ADD CONSTRAINT by_own CHECK (shop.own(id)),"
              + " ADD CONSTRAINT plain CHECK (id > 0);"
              + " CREATE FUNCTION shop.as_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
              + " AS 'BEGIN RETURN NEW; END';"
              + " CREATE FUNCTION shop.as_caller() RETURNS trigger LANGUAGE plpgsql"
              + " AS 'BEGIN RETURN NEW; END';"
              + " CREATE TRIGGER as_owner BEFORE INSERT ON shop.item FOR EACH ROW"
              + " EXECUTE FUNCTION shop.as_owner();"
              + " CREATE TRIGGER as_caller BEFORE INSERT ON shop.item FOR EACH ROW"
              + " EXECUTE FUNCTION shop.as_caller()");
      Outcome done = running.daemon().cutover(PATIENCE);
      assertThat(done.ending()).as(done.message()).isEqualTo(Ending.DONE);
      assertThat(done.details())
          .anyMatch(
              line ->
                  line.startsWith("skipped: check shop.item.by_own")
                      && line.contains("shop.own(integer)")
                      && line.contains("run-source-code: true"))
          .anyMatch(
              line ->
                  line.startsWith("failed: trigger shop.item.as_owner")
                      && line.contains("SECURITY DEFINER")
                      && line.contains("create it there by hand"));
      assertThat(
              text(
                  target,
                  "unconsented",
                  "SELECT string_agg(name, ' ' ORDER BY name) FROM (SELECT conname AS name FROM"
                      + " pg_constraint WHERE contype = 'c' UNION ALL SELECT tgname FROM pg_trigger"
                      + " WHERE NOT tgisinternal) made WHERE name IN ('by_own', 'plain',"
                      + " 'as_owner', 'as_caller')"))
          .isEqualTo("as_caller plain");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  running.daemon().status().cutover().report().stream()
                      .anyMatch(line -> line.startsWith("constraints and triggers: ")));
      assertThat(running.daemon().status().cutover().report())
          .filteredOn(line -> line.contains("by_own") || line.contains("as_owner"))
          .hasSize(2);
    }
  }

  @Test
  void aCutoverThatIsNotDecidedWithinItsTimeSaysThatItStillRuns() throws Exception {
    TaskConfig config = task("undecided", "{CutoverQuietTime: 0.1}");
    execute(source, "undecided", "CREATE SEQUENCE shop.tickets");
    execute(target, "undecided", "CREATE SCHEMA shop; CREATE SEQUENCE shop.tickets");
    try (RunningDaemon running = RunningDaemon.start(config);
        Connection holder = target.connect("undecided")) {
      running.awaitPhase("replicating");
      holder.setAutoCommit(false);
      execute(holder, "ALTER SEQUENCE shop.tickets CACHE 1");
      CompletableFuture<Outcome> first = order(running);
      awaitStep(running, "setting the sequences");
      Outcome joined = running.daemon().cutover(Duration.ofMillis(50));
      assertThat(joined.ending()).isEqualTo(Ending.UNDECIDED);
      assertThat(joined.message()).contains("still runs").contains("setting the sequences");
      holder.rollback();
      assertThat(first.get(10, TimeUnit.MINUTES).ending()).isEqualTo(Ending.DONE);
    }
  }

  @Test
  void anOpenTransactionWhoseStartMayNotBeSeenIsOfAnUnknownTime() throws Exception {
    TaskConfig config = ofOrdinaryRole("unseen", "{}");
    execute(source, "unseen", "GRANT USAGE ON SCHEMA shop TO app; GRANT ALL ON shop.item TO app");
    try (RunningDaemon running = RunningDaemon.start(config);
        Connection writer = source.connect("unseen")) {
      running.awaitPhase("replicating");
      execute(writer, "SET SESSION AUTHORIZATION app");
      writer.setAutoCommit(false);
      execute(writer, "INSERT INTO shop.item VALUES (9, 'open')");
      Outcome refused = running.cutover(Duration.ofMillis(500));
      assertThat(refused.message())
          .contains("still open")
          .contains("since an unknown time")
          .doesNotContain("1970");
    }
  }

  @Test
  void aValidationBesideTrafficNamesWhatDiffersAndNotWhatIsOnItsWay() throws Exception {
    TaskConfig config = task("moving", "{CutoverQuietTime: 0.1}");
    AtomicBoolean ending = new AtomicBoolean();
    CompletableFuture<Void> traffic;
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      try {
        traffic = CompletableFuture.runAsync(() -> updateUntil(ending, "moving"));
        assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
            .isNotEqualTo(Ending.FAILED);
        execute(target, "moving", "UPDATE shop.item SET name = 'planted' WHERE id = 2");
        Outcome differs = running.daemon().validate(List.of(), Optional.empty());
        assertThat(differs.ending()).isEqualTo(Ending.FAILED);
        assertThat(differs.details()).anyMatch(line -> line.contains("[{\"id\":\"2\"}]"));
      } finally {
        ending.set(true);
      }
      traffic.get(10, TimeUnit.MINUTES);
      execute(target, "moving", "UPDATE shop.item SET name = 'two' WHERE id = 2");
      Outcome equal = running.daemon().validate(List.of(), Optional.empty());
      assertThat(equal.ending()).as(equal.toString()).isEqualTo(Ending.DONE);
      assertThat(equal.details()).anyMatch(line -> line.contains("after the source's log was at"));
    }
  }

  @Test
  void aNumberThatIsDrawnOnTheSourceAfterTheCutoverIsAProblemUntilTheEnd() throws Exception {
    TaskConfig config = task("drawn", "{CutoverQuietTime: 0.1}");
    execute(
        source,
        "drawn",
        "CREATE SEQUENCE shop.tickets; CREATE SEQUENCE shop.unused; SELECT"
            + " nextval('shop.tickets')");
    execute(
        target,
        "drawn",
        "CREATE SCHEMA shop; CREATE SEQUENCE shop.tickets; CREATE SEQUENCE shop.unused");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      assertThat(running.daemon().cutover(PATIENCE).ending()).isEqualTo(Ending.DONE);
      assertThat(running.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.DONE);
    }
    execute(source, "drawn", "SELECT nextval('shop.tickets'), nextval('shop.unused')");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      await().atMost(PATIENCE).until(() -> again.daemon().status().problem() != null);
      assertThat(again.daemon().status().problem())
          .contains("shop.tickets (from 1 to 2)")
          .contains("shop.unused (to 1)");
      assertThat(again.daemon().status().sourceWatch().changes()).isZero();
      assertThat(again.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(again.daemon().cutover(PATIENCE).message()).contains("shop.tickets (from 1 to 2)");
    }
  }

  private static void updateUntil(AtomicBoolean ending, String database) {
    try (Connection writer = source.connect(database)) {
      while (!ending.get()) {
        execute(writer, "UPDATE shop.item SET name = clock_timestamp()::text WHERE id = 1");
        LockSupport.parkNanos(2_000_000);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private TaskConfig task(String name, String sluice) throws Exception {
    create(name);
    return folderOf(name).settings(settings(sluice)).config();
  }

  /** The source's user owns the tables and may do no more than it must. */
  private static List<Finding> blockers(RunningDaemon running) throws InterruptedException {
    return running.daemon().cutoverReport(CutoverOrder.quiet(PATIENCE)).open(Weight.BLOCKER);
  }

  private TaskConfig ofOrdinaryRole(String name, String sluice) throws Exception {
    create(name);
    execute(
        source,
        name,
        "GRANT CREATE ON DATABASE "
            + name
            + " TO migrator; ALTER SCHEMA shop OWNER TO migrator; ALTER TABLE shop.item OWNER TO"
            + " migrator");
    return folderOf(name)
        .replacing("postgresql://postgres@", "postgresql://migrator@")
        .settings(settings(sluice))
        .config();
  }

  private static void create(String name) throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    execute(
        source,
        name,
        "CREATE SCHEMA shop; CREATE TABLE shop.item (id int PRIMARY KEY, name text);"
            + " INSERT INTO shop.item VALUES (1, 'one'), (2, 'two')");
  }

  private TaskFolder folderOf(String name) throws Exception {
    return TaskFolder.of(folder.resolve(name), name, source, target, name, "shop");
  }

  private static String settings(String sluice) {
    return "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
        + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
        + " ErrorBehavior: {ApplyErrorUpdatePolicy: LOG_ERROR, RecoverableErrorInterval: 0.2},"
        + " Sluice: "
        + sluice
        + "}";
  }

  private static CompletableFuture<Outcome> order(RunningDaemon running) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return running.daemon().cutover(PATIENCE);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** A statement is executed now and then until the verdict. */
  private static Outcome cutoverWhile(RunningDaemon running, Connection session, String sql)
      throws Exception {
    CompletableFuture<Outcome> verdict = order(running);
    while (!verdict.isDone()) {
      execute(session, sql);
      Thread.sleep(100);
    }
    return verdict.get();
  }

  /** Until the cutover is at one of these steps. */
  private static void awaitStep(RunningDaemon running, String... steps) {
    await(String.join(" or ", steps))
        .atMost(PATIENCE)
        .until(
            () -> {
              CutoverStatus cutover = running.daemon().status().cutover();
              return cutover != null && Stream.of(steps).anyMatch(cutover.step()::contains);
            });
  }

  private static void awaitWritten(RunningDaemon running, long changes) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              SourceWatchStatus watch = running.daemon().status().sourceWatch();
              return watch != null && watch.changes() == changes;
            });
  }

  /** The statement in the message, to run after the rows are corrected. */
  private static String forgetting(String message) {
    int from = message.indexOf("DELETE FROM");
    return message.substring(from, message.indexOf(";", from));
  }
}
