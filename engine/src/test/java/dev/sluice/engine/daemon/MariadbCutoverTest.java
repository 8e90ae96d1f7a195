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

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToMariadb;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The applications of a PostgreSQL database are moved to MariaDB. */
@ExtendWith(SharedBroker.class)
@TestInstance(Lifecycle.PER_CLASS)
class MariadbCutoverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration BUDGET = Duration.ofSeconds(30);
  private static final CutoverOrder NOTHING_ACCEPTED =
      new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of());

  private static final String FOREIGN_KEYS =
      "SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'shop'";

  private static final Set<String> ACCEPTED =
      Set.of("unfinished-constraints", "unfinished-indexes", "missing-function", "not-proven");

  @RegisterExtension final ToMariadb sides = servers();

  @TempDir Path folder;

  ToMariadb servers() {
    return new ToMariadb();
  }

  /** The statements that make what stands for the sequence {@code shop.ticket}. */
  List<String> ticket() {
    return List.of("CREATE SEQUENCE shop.ticket CACHE 1");
  }

  /** The statements that take its next number; the last one returns it. */
  List<String> nextTicket() {
    return List.of("SELECT NEXTVAL(shop.ticket)");
  }

  /** The statement by which its last number becomes 90. */
  String ticketIs90() {
    return "SELECT SETVAL(shop.ticket, 90)";
  }

  /** The page for operators. */
  String page() {
    return "mariadb-target.md";
  }

  /** What is said of a sequence that is missing. */
  String fixOfMissing() {
    return "create the sequence";
  }

  @Test
  void aQuietSourceIsCutOverAndNothingIsWrittenOverTheApplicationsRowsAfterwards()
      throws Exception {
    create("quiet");
    onTarget("DROP USER IF EXISTS loader@'%'", "CREATE USER loader@'%'");
    List<String> grants =
        Files.readString(Path.of("../docs/operate").resolve(page()))
            .lines()
            .filter(line -> line.startsWith("GRANT "))
            .map(line -> line.replace(";", ""))
            .toList();
    onTarget(grants.subList(0, 4));
    TaskConfig config = task("quiet").replacing("://root@", "://loader@").config();
    List<String> customers;
    List<String> lines;
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource("quiet", "INSERT INTO shop.customer (id, name) VALUES (101, 'raised')");
      running.awaitApplied();
      onSource(
          "quiet",
          "INSERT INTO shop.line (customer, note) VALUES (7, 'followed')",
          // A key beyond what the source has given out.
          "UPDATE shop.customer SET id = 5000 WHERE id = 101",
          // Given out, and never seen in a row.
          "SELECT nextval('shop.line_id_seq') FROM generate_series(1, 50)",
          "SELECT setval('shop.ticket', 7)");
      assertThat(running.cutover(PATIENCE).message()).contains("shop.ticket", fixOfMissing());
      assertThat(running.phase()).isEqualTo("replicating");
      onTarget(ticket());
      Outcome moved = running.cutover(PATIENCE);
      assertThat(moved.success()).as(moved.toString()).isTrue();
      assertThat(moved.details())
          .anyMatch(line -> line.contains("trigger shop.line.shouts") && line.contains("by hand"))
          .anyMatch(line -> line.contains("line_note_check"))
          .anyMatch(line -> line.equals("sequences set: 3"));
      assertEqual("quiet");
      assertThat(onTarget(FOREIGN_KEYS)).containsExactly("line_customer_fkey");
      assertThatThrownBy(() -> onTarget("INSERT INTO shop.line (customer) VALUES (4999)"))
          .hasMessageContaining("foreign key constraint fails");
      onTarget(
          "INSERT INTO shop.customer (name) VALUES ('of the application')",
          "INSERT INTO shop.line (customer, note) VALUES (1, 'of the application')",
          "UPDATE shop.customer SET name = 'changed there' WHERE id = 1");
      assertThat(onTarget("SELECT MAX(id) FROM shop.customer")).containsExactly("5001");
      assertThat(onTarget("SELECT id FROM shop.line WHERE note = 'of the application'"))
          .allSatisfy(id -> assertThat(Long.parseLong(id)).isGreaterThan(351));
      assertThat(onTarget(nextTicket())).containsExactly("8");
      customers = onTarget(CUSTOMERS);
      lines = onTarget(LINES);
      assertThat(customers).contains("1|changed there");
      onSource("quiet", "UPDATE shop.customer SET name = 'too late' WHERE id = 1");
    }
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      assertThat(again.daemon().cutover(PATIENCE).message()).startsWith("cut over already");
    }
    String consent = "overwrite-target-rows: true\ndata-dir:";
    TaskConfig copy =
        sides
            .task(folder.resolve("copy"), "quiet", settings("DROP_AND_CREATE"))
            .replacing("task: quiet", "task: another")
            .replacing("data-dir:", consent)
            .replacing(
                "task-settings: {",
                "task-settings: {ControlTablesSettings: {ControlSchema: elsewhere}, ")
            .config();
    assertThat(problems(copy)).anyMatch(problem -> problem.contains("task quiet was cut over"));
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      again.daemon().stop(true);
      again.awaitEnd();
    }
    for (String mode : List.of("DROP_AND_CREATE", "TRUNCATE_BEFORE_LOAD")) {
      TaskConfig dropped =
          sides
              .task(folder.resolve(mode), "quiet", settings(mode))
              .replacing("data-dir:", consent)
              .config();
      assertThat(problems(dropped))
          .singleElement()
          .asString()
          .contains("task quiet was cut over", "forget-cutover");
    }
    // Who may not see the record is not told that there is none.
    onTarget(
        "DROP USER IF EXISTS blind@'%'",
        "CREATE USER blind@'%'",
        "GRANT ALL ON shop.* TO blind@'%'",
        "GRANT ALL ON sluice_control.* TO blind@'%'");
    TaskConfig blind =
        sides
            .task(folder.resolve("blind"), "quiet", settings("DROP_AND_CREATE"))
            .replacing("://root@", "://blind@")
            .replacing("full-load-and-cdc", "full-load")
            .replacing("data-dir:", consent)
            .config();
    assertThat(problems(blind))
        .anyMatch(problem -> problem.contains("GRANT SELECT ON `sluice_cutover`.*"));
    assertThatThrownBy(() -> RunningDaemon.start(blind).awaitEnd())
        .hasStackTraceContaining("sluice_cutover");
    assertThat(onTarget(CUSTOMERS)).isEqualTo(customers);
    assertThat(onTarget(LINES)).isEqualTo(lines);
  }

  @Test
  void whatAKilledDaemonHasLeftIsDoneByTheNextOneAndNothingIsSetBack() throws Exception {
    create("killed");
    onTarget(ticket());
    TaskConfig config = task("killed").config();
    RunningDaemon.replicating(config).close();
    onSource(
        "killed", "SELECT setval('shop.line_id_seq', 1000)", "SELECT setval('shop.ticket', 7)");
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_BEGUN, "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource("killed", "UPDATE shop.customer SET name = 'goes on' WHERE id = 3");
      running.awaitApplied();
      assertEqual("killed");
    }
    String quiet = "2026-01-01T00:00:00Z";
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET, quiet);
    onSource("killed", "UPDATE shop.customer SET name = 'too late' WHERE id = 3");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
    }
    assertThat(onTarget(FOREIGN_KEYS)).containsExactly("line_customer_fkey");
    onTarget("INSERT INTO shop.line (id, customer, note) VALUES (2000, 1, 'far')");
    onTarget("INSERT INTO shop.line (customer, note) VALUES (1, 'next')");
    onTarget(ticketIs90());
    // Each step was done, and the kill came before its record.
    onTarget(
        "UPDATE sluice_control.completion_step SET state = 'waiting' WHERE state = 'done' AND stage = 'CONSTRAINTS'",
        "DELETE FROM sluice_control.task_step WHERE task = 'killed' AND step IN ('%s', '%s')"
            .formatted(TaskStepNames.CUTOVER_USABLE, TaskStepNames.SEQUENCES),
        "DROP DATABASE sluice_cutover");
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET, quiet);
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  onTarget("SELECT state FROM sluice_control.task_step WHERE step = 'cutover'")
                      .equals(List.of(TaskStepNames.CUTOVER_DONE)));
    }
    assertThat(onTarget(FOREIGN_KEYS)).containsExactly("line_customer_fkey");
    onTarget("INSERT INTO shop.line (customer, note) VALUES (1, 'after')");
    assertThat(onTarget("SELECT id FROM shop.line WHERE note IN ('next', 'after') ORDER BY id"))
        .containsExactly("2001", "2002");
    assertThat(onTarget(nextTicket())).containsExactly("91");
    assertThat(onTarget("SELECT name FROM shop.customer WHERE id = 3")).containsExactly("goes on");
    assertThat(onTarget("SELECT COUNT(*) FROM sluice_cutover.cut_over_table")).containsExactly("2");
  }

  @Test
  void writersGoOnAtTheTargetWithoutALostOrADoubleWrite() throws Exception {
    create("moved");
    onTarget(ticket());
    TaskConfig config =
        sides
            .task(
                folder.resolve("moved"),
                "moved",
                settings("DROP_AND_CREATE")
                    .replace(
                        "{FullLoad", "{ValidationSettings: {EnableValidation: true}, FullLoad"))
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(config);
        MovingSeller seller =
            MovingSeller.start(() -> sides.source().connect("moved"), sides.target()::connect)) {
      await("every table is proven")
          .atMost(PATIENCE)
          .until(() -> !kinds(running, NOTHING_ACCEPTED, Weight.CHOICE).contains("not-proven"));
      assertThat(kinds(running, NOTHING_ACCEPTED, Weight.CHOICE))
          .containsExactlyInAnyOrder("unfinished-constraints", "missing-function");
      assertThat(kinds(running, NOTHING_ACCEPTED, Weight.BLOCKER)).isEmpty();
      Outcome rehearsed = running.daemon().rehearse(order());
      assertThat(rehearsed.success()).as(rehearsed.toString()).isTrue();
      seller.awaitMore();
      assertThat(onTarget(FOREIGN_KEYS)).isEmpty();
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
      assertThat(onTarget("SELECT note FROM shop.line WHERE note LIKE 'sold%' ORDER BY id"))
          .isEqualTo(seller.acknowledged());
      assertThat(onTarget(FOREIGN_KEYS)).containsExactly("line_customer_fkey");
    }
  }

  /** Whoever waits behind it would wait as well. */
  @Test
  void aTableThatSomebodyUsesStopsTheCutoverWithTheSourceOpen() throws Exception {
    create("used");
    onTarget(ticket());
    try (RunningDaemon running = RunningDaemon.replicating(task("used").config())) {
      // No counter is to be raised, so nothing but the foreign key needs the table for itself.
      try (Connection reader = sides.target().connect();
          Statement statement = reader.createStatement()) {
        reader.setAutoCommit(false);
        statement.executeQuery("SELECT * FROM shop.line").close();
        Outcome refused = running.daemon().cutover(order());
        assertThat(refused.success()).isFalse();
        assertThat(refused.message()).contains("target tables shop.line: are in use");
        assertThat(running.daemon().rehearse(order()).message()).contains("shop.line: are in use");
        assertThat(running.daemon().status().cutover().timeline())
            .noneMatch(line -> line.contains("the budget is over"));
        assertThat(running.phase()).isEqualTo("replicating");
        onSource("used", "INSERT INTO shop.line (customer, note) VALUES (1, 'goes on')");
        running.awaitApplied();
        assertEqual("used");
      }
      Outcome moved = running.daemon().cutover(order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
    }
  }

  @Test
  void onlyTheSourceKnowsWhatADaemonDidThatEndedWhileItDecided() throws Exception {
    create("decided");
    onTarget(ticket());
    TaskConfig config = task("decided").config();
    RunningDaemon.replicating(config).close();
    record(
        config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, decision(UUID.randomUUID()));
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource("decided", "UPDATE shop.customer SET name = 'goes on' WHERE id = 3");
      running.awaitApplied();
      assertEqual("decided");
    }
    UUID decided = UUID.randomUUID();
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, decision(decided));
    TaskContext context = TaskContext.of(config);
    WriterStop writers = context.source().writers().orElseThrow();
    List<TableId> tables = List.of(new TableId("shop", "customer"), new TableId("shop", "line"));
    try (StoppedWriters stopped =
        writers.stop(new WriterStop.Request(decided, tables, BUDGET, BUDGET))) {
      stopped.prepareMove(context.movedTo());
      stopped.decide();
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("cut-over");
      assertThat(onTarget(FOREIGN_KEYS)).containsExactly("line_customer_fkey");
    }
    // A target that was set back to before its cutover does not get old rows.
    onTarget("DROP DATABASE sluice_cutover");
    record(config, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_FAILED, "");
    assertThatThrownBy(() -> RunningDaemon.start(config).awaitEnd())
        .hasStackTraceContaining("the target does not know of it");
  }

  @Test
  void rowsThatAForeignKeyDoesNotTakeAreNamedBeforeTheSourceIsClosedAndAfterIt() throws Exception {
    create("unmatched");
    onTarget(ticket());
    onSource(
        "unmatched",
        "SET session_replication_role = replica",
        "INSERT INTO shop.line (customer, note) VALUES (777, 'of nobody')");
    try (RunningDaemon running = RunningDaemon.replicating(task("unmatched").config())) {
      onSource("unmatched", "CREATE INDEX by_note ON shop.line (note)");
      onTarget("ALTER TABLE shop.line DROP KEY line_customer_fkey");
      assertThat(names(running, order(), "unfinished-indexes"))
          .containsExactlyInAnyOrder("shop.line.by_note", "shop.line.line_customer_fkey");
      assertThat(names(running, order(), "unmatched-rows"))
          .singleElement()
          .asString()
          .contains("line_customer_fkey: rows of shop.line have no row in shop.customer", "(301)");
      assertThat(running.daemon().cutover(order()).details())
          .singleElement()
          .asString()
          .contains("unmatched-rows");
      assertThat(running.phase()).isEqualTo("replicating");
      Set<String> accepted =
          Stream.concat(ACCEPTED.stream(), Stream.of("unmatched-rows")).collect(Collectors.toSet());
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
      assertThatThrownBy(() -> onTarget("INSERT INTO shop.line (customer) VALUES (778)"))
          .hasMessageContaining("foreign key constraint fails");
    }
  }

  static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(BUDGET), ACCEPTED);
  }

  private static String decision(UUID cutover) {
    return cutover + " " + Instant.now();
  }

  void create(String database) throws SQLException {
    sides.source().createDatabase(database);
    onSource(database, SOURCE);
    sides.createShop();
    onTarget("DROP DATABASE IF EXISTS sluice_cutover");
  }

  TaskFolder task(String database) throws Exception {
    return sides.task(folder, database, settings("DROP_AND_CREATE"));
  }

  private static String settings(String mode) {
    return "{FullLoadSettings: {TargetTablePrepMode: %s}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
        .formatted(mode);
  }

  private void assertEqual(String database) throws SQLException {
    assertThat(onTarget(CUSTOMERS)).isEqualTo(onSource(database, CUSTOMERS));
    assertThat(onTarget(LINES)).isEqualTo(onSource(database, LINES));
  }

  private List<String> onSource(String database, String... statements) throws SQLException {
    return sides.onSource(database, statements);
  }

  List<String> onTarget(List<String> statements) throws SQLException {
    return onTarget(statements.toArray(String[]::new));
  }

  private List<String> onTarget(String... statements) throws SQLException {
    return sides.onTarget(statements);
  }
}
