package dev.sluice.engine.daemon;

import static dev.sluice.engine.check.CheckedTask.problems;
import static dev.sluice.engine.daemon.MovedShop.CUSTOMERS;
import static dev.sluice.engine.daemon.MovedShop.LINES;
import static dev.sluice.engine.daemon.MovedShop.SOURCE;
import static dev.sluice.engine.daemon.MovedShop.kinds;
import static dev.sluice.engine.daemon.MovedShop.names;
import static dev.sluice.engine.daemon.MovedShop.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The applications of a PostgreSQL database are moved to one that is as strict as YugabyteDB. */
@ExtendWith(SharedBroker.class)
class YugabyteCutoverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration BUDGET = Duration.ofSeconds(30);
  private static final CutoverOrder NOTHING_ACCEPTED =
      new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of());

  /** A cluster gives no sequence a smaller cache. */
  private static final String TICKET = "CREATE SEQUENCE shop.ticket CACHE 100";

  private static final String CONSTRAINTS =
      "SELECT conname || '|' || convalidated FROM pg_constraint WHERE contype IN ('c', 'f')"
          + " AND connamespace = 'shop'::regnamespace ORDER BY 1";

  private static final List<String> ALL_VALID =
      List.of("line_customer_fkey|true", "line_note_check|true");

  private static final Set<String> ACCEPTED =
      Set.of("unfinished-constraints", "missing-function", "not-proven");

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  @Test
  void aQuietSourceIsCutOverAndNothingIsWrittenOverTheApplicationsRowsAfterwards()
      throws Exception {
    create("quiet");
    TaskConfig config = task("quiet", "DROP_AND_CREATE").config();
    List<String> customers;
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource(
          "quiet",
          "INSERT INTO shop.line (customer, note) VALUES (7, 'followed')",
          // Given out, and never seen in a row.
          "SELECT nextval('shop.line_id_seq') FROM generate_series(1, 50)",
          "SELECT setval('shop.ticket', 7)");
      assertThat(running.cutover(PATIENCE).message()).contains("shop.ticket", "Create it");
      assertThat(running.phase()).isEqualTo("replicating");
      onTarget("quiet", TICKET);
      // The last steps meet an error whose statement was carried out.
      SERVERS.proxy().failOnce("alter table", Fault.LOST_AFTER_COMMIT);
      Outcome moved = running.cutover(PATIENCE);
      assertThat(moved.success()).as(moved.toString()).isTrue();
      assertThat(SERVERS.proxy().faults()).containsKey(Fault.LOST_AFTER_COMMIT);
      assertThat(moved.details())
          .anyMatch(line -> line.contains("trigger shop.line.shouts") && line.contains("by hand"))
          .anyMatch(line -> line.equals("sequences set: 3"));
      assertEqual("quiet");
      await().atMost(PATIENCE).until(() -> onTarget("quiet", CONSTRAINTS).equals(ALL_VALID));
      assertThatThrownBy(() -> onTarget("quiet", "INSERT INTO shop.line (customer) VALUES (4999)"))
          .hasMessageContaining("line_customer_fkey");
      onTarget("quiet", "UPDATE shop.customer SET name = 'changed there' WHERE id = 1");
      assertThat(
              onTarget(
                  "quiet",
                  "INSERT INTO shop.line (customer, note) VALUES (1, 'of the application') RETURNING id"))
          // One more was taken by the row that was refused.
          .containsExactly("353");
      assertThat(onTarget("quiet", "INSERT INTO shop.customer (name) VALUES ('new') RETURNING id"))
          .containsExactly("101");
      assertThat(onTarget("quiet", "SELECT nextval('shop.ticket')")).containsExactly("8");
      customers = onTarget("quiet", CUSTOMERS);
      onSource("quiet", "UPDATE shop.customer SET name = 'too late' WHERE id = 1");
    }
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      assertThat(again.daemon().cutover(PATIENCE).message()).startsWith("cut over already");
      again.daemon().stop(true);
      again.awaitEnd();
    }
    String consent = "overwrite-target-rows: true\ndata-dir:";
    for (String mode : List.of("DROP_AND_CREATE", "TRUNCATE_BEFORE_LOAD")) {
      assertThat(problems(task("quiet", mode).replacing("data-dir:", consent).config()))
          .singleElement()
          .asString()
          .contains("task quiet was cut over", "forget-cutover");
    }
    assertThat(onTarget("quiet", CUSTOMERS)).isEqualTo(customers).contains("1|changed there");
  }

  @Test
  void writersGoOnAtTheTargetWithoutALostOrADoubleWrite() throws Exception {
    create("moved");
    TaskConfig config = task("moved", "DROP_AND_CREATE").config();
    try (RunningDaemon running = RunningDaemon.replicating(config);
        MovingSeller seller =
            MovingSeller.start(
                () -> SERVERS.connectToSource("moved"), () -> SERVERS.connectToTarget("moved"))) {
      onTarget("moved", TICKET);
      await("every table is proven")
          .atMost(PATIENCE)
          .until(() -> !kinds(running, NOTHING_ACCEPTED, Weight.CHOICE).contains("not-proven"));
      assertThat(kinds(running, NOTHING_ACCEPTED, Weight.CHOICE))
          .containsExactlyInAnyOrder("unfinished-constraints", "missing-function");
      assertThat(kinds(running, NOTHING_ACCEPTED, Weight.BLOCKER)).isEmpty();
      Outcome rehearsed = running.daemon().rehearse(order());
      assertThat(rehearsed.success()).as(rehearsed.toString()).isTrue();
      seller.awaitMore();
      assertThat(onTarget("moved", CONSTRAINTS)).isEmpty();
      // The first attempt sets all sequences and does not hear of it, the second one sets none.
      for (Fault fault : List.of(Fault.TIMEOUT_AFTER_COMMIT, Fault.CONFLICT)) {
        SERVERS.proxy().failOnce("select setval", fault);
        assertThat(running.daemon().cutover(order()).success()).isFalse();
        assertThat(running.phase()).isEqualTo("replicating");
        seller.awaitMore();
      }
      assertThat(kinds(running, order(), Weight.CHOICE)).isEmpty();
      Outcome outcome = running.daemon().cutover(order());
      assertThat(outcome.success()).as(outcome.toString()).isTrue();
      assertThat(running.daemon().status().cutover().timeline())
          .anyMatch(line -> line.contains("rows proven equal by comparison: 2 tables"))
          .anyMatch(line -> line.contains("it is closed for writers"));
      seller.goOnAtTheTarget();
      seller.awaitMore();
      seller.end();
      assertThatThrownBy(() -> onSource("moved", "DELETE FROM shop.line"))
          .hasMessageContaining("moved");
      assertThat(
              onTarget("moved", "SELECT note FROM shop.line WHERE note LIKE 'sold%' ORDER BY id"))
          .isEqualTo(seller.acknowledged());
      await().atMost(PATIENCE).until(() -> onTarget("moved", CONSTRAINTS).equals(ALL_VALID));
    }
  }

  @Test
  void whatAKilledDaemonHasLeftIsDoneByTheNextOneAndNothingIsSetBack() throws Exception {
    create("killed");
    TaskConfig config = task("killed", "DROP_AND_CREATE").config();
    RunningDaemon.replicating(config).close();
    onTarget("killed", TICKET);
    onSource(
        "killed", "SELECT setval('shop.line_id_seq', 1000)", "SELECT setval('shop.ticket', 7)");
    String quiet = "2026-01-01T00:00:00Z";
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET, quiet);
    onSource("killed", "UPDATE shop.customer SET name = 'too late' WHERE id = 3");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      await().atMost(PATIENCE).until(() -> onTarget("killed", CONSTRAINTS).equals(ALL_VALID));
    }
    String insert = "INSERT INTO shop.line (customer, note) VALUES (1, 'there') RETURNING id";
    assertThat(onTarget("killed", insert)).containsExactly("1001");
    onTarget("killed", "SELECT setval('shop.ticket', 90)");
    // Each step was done, and the kill came before its record.
    onTarget(
        "killed",
        "UPDATE sluice_control.completion_step SET state = 'waiting' WHERE state = 'done' AND stage = 'CONSTRAINTS'",
        "DELETE FROM sluice_control.task_step WHERE task = 'killed' AND step IN ('%s', '%s')"
            .formatted(TaskStepNames.CUTOVER_USABLE, TaskStepNames.SEQUENCES),
        "DROP SCHEMA sluice_cutover CASCADE");
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET, quiet);
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  onTarget(
                          "killed",
                          "SELECT state FROM sluice_control.task_step WHERE step = 'cutover'")
                      .equals(List.of(TaskStepNames.CUTOVER_DONE)));
    }
    assertThat(onTarget("killed", CONSTRAINTS)).isEqualTo(ALL_VALID);
    assertThat(onTarget("killed", insert)).containsExactly("1002");
    assertThat(onTarget("killed", "SELECT nextval('shop.ticket')")).containsExactly("91");
    assertThat(onTarget("killed", "SELECT name FROM shop.customer WHERE id = 3"))
        .containsExactly("name 3");
    assertThat(onTarget("killed", "SELECT count(*) FROM sluice_cutover.cut_over_table"))
        .containsExactly("2");
  }

  @Test
  void rowsThatConstraintsDoNotTakeAreNamedBeforeTheSourceIsClosedAndAfterIt() throws Exception {
    create("unmatched");
    onSource(
        "unmatched",
        "SET session_replication_role = replica",
        "INSERT INTO shop.line (customer, note) VALUES (777, 'of nobody')");
    try (RunningDaemon running =
        RunningDaemon.replicating(task("unmatched", "DROP_AND_CREATE").config())) {
      onTarget("unmatched", TICKET);
      assertThat(names(running, order(), "unmatched-rows"))
          .singleElement()
          .asString()
          .contains("line_customer_fkey: rows of shop.line have no row in shop.customer", "(301)");
      assertThat(running.daemon().cutover(order()).details())
          .singleElement()
          .asString()
          .contains("unmatched-rows");
      assertThat(running.phase()).isEqualTo("replicating");
      onTarget("unmatched", "UPDATE shop.line SET note = '' WHERE id = 5");
      SERVERS.proxy().failOnce("select left", Fault.STORAGE_TIMEOUT);
      assertThat(names(running, order(), "unmatched-rows"))
          .anyMatch(each -> each.contains("line_note_check: rows of shop.line break it, such"));
      SERVERS.proxy().failEach("select left");
      assertThat(running.daemon().cutoverReport(order()).findings())
          .anyMatch(
              finding ->
                  finding.kind().equals("not-checked")
                      && finding.found().contains("unexpected state of the storage"));
      SERVERS.proxy().failNone();
      onTarget("unmatched", "UPDATE shop.line SET note = 'n5' WHERE id = 5");
      Set<String> accepted =
          Set.of("unfinished-constraints", "missing-function", "not-proven", "unmatched-rows");
      Outcome moved =
          running.daemon().cutover(new CutoverOrder(PATIENCE, Optional.of(BUDGET), accepted));
      assertThat(moved.success()).as(moved.toString()).isTrue();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(running.daemon().status().cutover().report())
                      .anyMatch(
                          line ->
                              line.startsWith("failed: validation shop.line.line_customer_fkey")
                                  && line.contains("(301)")));
      assertThat(onTarget("unmatched", CONSTRAINTS))
          .containsExactly("line_customer_fkey|false", "line_note_check|true");
      assertThatThrownBy(
              () -> onTarget("unmatched", "INSERT INTO shop.line (customer) VALUES (778)"))
          .hasMessageContaining("line_customer_fkey");
    }
  }

  @Test
  void aConstraintAtWhichTheStorageAlwaysFailsDoesNotHoldBackTheVerdict() throws Exception {
    create("broken");
    try (RunningDaemon running =
        RunningDaemon.replicating(task("broken", "DROP_AND_CREATE").config())) {
      onTarget("broken", TICKET);
      SERVERS.proxy().failEach("alter table name.name add constraint");
      Outcome moved = running.cutover(PATIENCE);
      assertThat(moved.success()).as(moved.toString()).isTrue();
      assertThat(moved.details())
          .anyMatch(line -> line.equals("sequences set: 3"))
          .anyMatch(
              line ->
                  line.startsWith("failed: foreign key shop.line.line_customer_fkey")
                      && line.contains("given up after 5 tries")
                      && line.contains("Run it by hand: ALTER TABLE"));
      assertThat(onTarget("broken", CONSTRAINTS)).isEmpty();
      assertEqual("broken");
    } finally {
      SERVERS.proxy().failNone();
    }
  }

  /** Whoever took one may keep others, which setval does not reach. */
  @Test
  void aSequenceOfWhichNumbersWereTakenOnTheTargetIsAChoice() throws Exception {
    create("taken");
    TaskConfig config = task("taken", "DROP_AND_CREATE").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onTarget("taken", TICKET);
      assertThat(kinds(running, NOTHING_ACCEPTED, Weight.CHOICE))
          .doesNotContain("used-sequences", "different-sequences");
      onTarget("taken", "SELECT nextval('shop.ticket')");
      assertThat(names(running, order(), "used-sequences"))
          .singleElement()
          .asString()
          .contains("ticket");
      Outcome refused = running.daemon().cutover(order());
      assertThat(refused.details())
          .singleElement()
          .asString()
          .contains("used-sequences")
          .doesNotContain("RESTART");
      assertThat(running.phase()).isEqualTo("replicating");
      onTarget("taken", "ALTER SEQUENCE shop.ticket RESTART");
      assertThat(names(running, order(), "used-sequences")).isEmpty();
      // As an attempt sets it that ends before the source decides.
      onTarget("taken", "SELECT setval('shop.ticket', 7)");
      record(
          config,
          TaskStepNames.SEQUENCES,
          TaskStepNames.SEQUENCES_SET,
          "[[\"shop\", \"ticket\", 7]]");
      assertThat(names(running, order(), "used-sequences")).isEmpty();
      // The same over one that was used: what is kept of it is still kept.
      record(
          config,
          TaskStepNames.ACCEPTED,
          TaskStepNames.ACCEPTED_NOTED,
          "not-proven, used-sequences");
      assertThat(names(running, order(), "used-sequences"))
          .singleElement()
          .asString()
          .contains("ticket");
      record(config, TaskStepNames.ACCEPTED, TaskStepNames.ACCEPTED_NOTED, "");
      onTarget("taken", "SELECT nextval('shop.ticket')");
      assertThat(names(running, order(), "used-sequences"))
          .singleElement()
          .asString()
          .contains("ticket");
    }
  }

  /** The go was given before, and nothing was found then. */
  @Test
  void aNumberThatIsTakenOnTheTargetWhileTheWritersStandEndsTheCutoverBeforeTheDecision()
      throws Exception {
    create("between");
    try (RunningDaemon running =
        RunningDaemon.replicating(task("between", "DROP_AND_CREATE").config())) {
      onTarget("between", TICKET);
      SERVERS
          .proxy()
          .beforeEach(
              "select last_value",
              () -> {
                CutoverStatus status = running.daemon().status().cutover();
                if (status != null
                    && status.timeline().stream()
                        .anyMatch(line -> line.contains("the writers are stopped"))) {
                  take("between");
                }
              });
      Outcome refused = running.daemon().cutover(order());
      assertThat(refused.success()).isFalse();
      assertThat(refused.toString()).contains("numbers were taken there", "shop.ticket, up to");
      assertThat(running.phase()).isEqualTo("replicating");
      onSource("between", "UPDATE shop.customer SET name = 'goes on' WHERE id = 1");
    } finally {
      SERVERS.proxy().beforeEach("select last_value", () -> {});
    }
  }

  private static void take(String database) {
    try {
      onTarget(database, "SELECT nextval('shop.ticket')");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(BUDGET), ACCEPTED);
  }

  private static void create(String database) throws SQLException {
    SERVERS.createDatabase(database);
    onSource(database, SOURCE);
  }

  private TaskFolder task(String database, String mode) throws Exception {
    return SERVERS
        .task(folder.resolve(mode), database)
        .settings(
            "{ValidationSettings: {EnableValidation: true}, FullLoadSettings: {TargetTablePrepMode: %s}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
                .formatted(mode));
  }

  private static void assertEqual(String database) throws SQLException {
    assertThat(onTarget(database, CUSTOMERS)).isEqualTo(onSource(database, CUSTOMERS));
    assertThat(onTarget(database, LINES)).isEqualTo(onSource(database, LINES));
  }

  private static List<String> onSource(String database, String... statements) throws SQLException {
    return SERVERS.onSource(database, statements);
  }

  private static List<String> onTarget(String database, String... statements) throws SQLException {
    return SERVERS.onTarget(database, statements);
  }
}
