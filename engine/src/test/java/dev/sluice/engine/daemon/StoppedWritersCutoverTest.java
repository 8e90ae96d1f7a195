package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A cutover stops the writers of the source: they go on, either there or at the target. */
@ExtendWith(SharedBroker.class)
class StoppedWritersCutoverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration BUDGET = Duration.ofSeconds(20);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void writersGoOnAtTheTargetWithoutALostOrADoubleWrite() throws Exception {
    DdlTask task = shop("moved", "ValidationSettings: { EnableValidation: true }");
    CompletableFuture<Boolean> moved = new CompletableFuture<>();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      List<Seller> sellers = sellers(task, moved);
      try {
        awaitProven(running);
        Outcome rehearsed = running.daemon().rehearse(order());
        assertThat(rehearsed.success()).as(rehearsed.toString()).isTrue();
        Outcome outcome = running.daemon().cutover(order());
        assertThat(outcome.success()).as(outcome.toString()).isTrue();
        assertThat(outcome.details()).anyMatch(line -> line.startsWith("from the stop of the"));
        assertThat(running.daemon().status().cutover().timeline())
            .anyMatch(line -> line.contains("the writers are stopped"))
            .anyMatch(line -> line.contains("ready to refuse writers and DDL"))
            .anyMatch(line -> line.contains("rows proven equal by comparison: 2 tables"))
            .anyMatch(line -> line.contains("it is closed for writers"));
        moved.complete(true);
        await().atMost(PATIENCE).until(() -> sellers.stream().allMatch(s -> s.onTarget() > 10));
      } finally {
        moved.complete(false);
        end(sellers);
      }
      assertThat(running.phase()).isEqualTo("cut-over");
      assertThat(sellers).allSatisfy(seller -> assertThat(seller.errors()).hasSize(1));
      assertSold(task, sellers);
      assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
      assertThatThrownBy(() -> task.onSource("TRUNCATE item")).hasMessageContaining("moved");
      assertThatThrownBy(() -> task.onSource("ALTER TABLE item ADD COLUMN note text"))
          .hasMessageContaining("ALTER TABLE on public.item is refused");
      assertThat(reports(task)).hasSize(1);
      assertThat(Files.readString(reports(task).get(0)))
          .contains("cutover of task moved: done", "timeline", "the source has decided");
      // While the replication ends its reader is shown as stopped.
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(running.daemon().status().problem()).isNull());
    }
    try (RunningDaemon again = RunningDaemon.start(task.config())) {
      again.awaitPhase("cut-over");
      // Somebody opens a table.
      task.onSource("SET sluice_moved.ddl = 'allowed'; ALTER TABLE sold DISABLE TRIGGER ALL");
      await().atMost(PATIENCE).until(() -> again.daemon().status().problem() != null);
      assertThat(again.daemon().status().problem()).contains("public.sold");
    }
  }

  @Test
  void rowsThatWereChangedBeforeAreComparedBeforeTheWritersAreStopped() throws Exception {
    // Left to itself, the validation would not compare them for minutes.
    DdlTask task =
        shop(
            "compared",
            "ValidationSettings: { EnableValidation: true }\n"
                + "  Sluice: { ValidationDutyCycle: 1 }");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitProven(running);
      task.onSource("INSERT INTO sold (what) SELECT 'sold ' || g FROM generate_series(1, 20000) g");
      Outcome outcome = running.daemon().cutover(order());
      assertThat(outcome.success()).as(outcome.toString()).isTrue();
      List<String> timeline = running.daemon().status().cutover().timeline();
      assertThat(timeline)
          .filteredOn(
              line -> line.contains("while writers are stopped") || line.contains("stopping the"))
          .satisfiesExactly(
              line -> assertThat(line).endsWith("to be compared while writers are stopped: 0 rows"),
              line -> assertThat(line).contains("stopping the writers of the source"));
    }
  }

  @Test
  void aRehearsalChangesNothingAndPredictsTheTime() throws Exception {
    DdlTask task = shop("rehearsed", "");
    CompletableFuture<Boolean> moved = CompletableFuture.completedFuture(false);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      List<Seller> sellers = sellers(task, moved);
      try {
        assertThat(finding(running, "stopped-writers").found()).contains("is not known");
        for (int i = 0; i < 3; i++) {
          Outcome rehearsed = running.daemon().rehearse(order());
          assertThat(rehearsed.success()).as(rehearsed.toString()).isTrue();
        }
        assertThat(finding(running, "stopped-writers").found())
            .contains("s up to the decision, as in the rehearsal of 20");
        int before = sellers.get(0).acknowledged().size();
        await().until(() -> sellers.get(0).acknowledged().size() > before + 10);
      } finally {
        end(sellers);
      }
      assertThat(running.phase()).isEqualTo("replicating");
      assertThat(sellers).allSatisfy(seller -> assertThat(seller.errors()).isEmpty());
      assertThat(task.source("SELECT count(*) FROM pg_namespace WHERE nspname = 'sluice_moved'"))
          .isEqualTo("0");
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aTargetThatDoesNotCatchUpWithinTheBudgetLeavesTheWritersAtTheSource() throws Exception {
    DdlTask task = shop("late", "");
    CompletableFuture<Boolean> moved = CompletableFuture.completedFuture(false);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      List<Seller> sellers = sellers(task, moved);
      try (Connection blocker = SERVERS.target().connect("late")) {
        running.awaitApplied();
        CompletableFuture<Outcome> cutover =
            CompletableFuture.supplyAsync(() -> cutover(running, Duration.ofSeconds(2)));
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    cutover.isDone()
                        || running.daemon().status().cutover() != null
                            && running
                                .daemon()
                                .status()
                                .cutover()
                                .step()
                                .startsWith("stopping the writers"));
        Sql.execute(blocker, "BEGIN; LOCK TABLE item");
        Outcome outcome = cutover.join();
        Sql.execute(blocker, "ROLLBACK");
        // The lock may have come too late for this cutover.
        if (!outcome.success()) {
          assertThat(outcome.message()).contains("budget of the cutover");
          assertThat(running.phase()).isEqualTo("replicating");
          assertThat(
                  task.source("SELECT count(*) FROM pg_namespace WHERE nspname = 'sluice_moved'"))
              .isEqualTo("0");
          int before = sellers.get(0).acknowledged().size();
          await().until(() -> sellers.get(0).acknowledged().size() > before + 10);
          assertThat(sellers).allSatisfy(seller -> assertThat(seller.errors()).isEmpty());
        }
      } finally {
        end(sellers);
      }
    }
  }

  @Test
  void aSourceThatIsNotClosedWithinTheBudgetLetsItsWritersGoAndTheBudgetIsNamed() throws Exception {
    DdlTask task = shop("slow", "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onSource(
          "CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS"
              + " 'BEGIN PERFORM pg_sleep(600); END'",
          "CREATE EVENT TRIGGER slow ON ddl_command_start EXECUTE FUNCTION slow()");
      Set<String> choices =
          running.daemon().cutoverReport(order()).open(Weight.CHOICE).stream()
              .map(Finding::kind)
              .collect(Collectors.toSet());
      Outcome outcome = cutover(running, Duration.ofSeconds(5), choices);
      assertThat(outcome.success()).isFalse();
      assertThat(outcome.message())
          .contains("budget of the cutover", "a longer --budget", "ready to refuse writers");
      task.onSource("INSERT INTO sold (what) VALUES ('goes on')");
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aRowThatDiffersStopsTheCutover() throws Exception {
    DdlTask task = shop("differing", "ValidationSettings: { EnableValidation: true }");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitProven(running);
      // Applied changes of item arrive as other values, once the target lets them in.
      task.onTarget(
          "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN NEW.name := ''spoilt''; RETURN NEW; END'",
          "CREATE TRIGGER spoil BEFORE INSERT OR UPDATE ON item FOR EACH ROW"
              + " EXECUTE FUNCTION spoil()",
          "ALTER TABLE item ENABLE ALWAYS TRIGGER spoil");
      CompletableFuture<Outcome> cutover;
      try (Connection blocker = SERVERS.target().connect("differing")) {
        Sql.execute(blocker, "BEGIN; LOCK TABLE item");
        task.onSource("UPDATE item SET price = 0.5 WHERE id = 3");
        cutover = CompletableFuture.supplyAsync(() -> cutover(running, BUDGET));
        await()
            .atMost(PATIENCE)
            .until(() -> cutover.isDone() || running.phase().equals("cutting-over"));
      }
      Outcome outcome = cutover.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(outcome.success()).isFalse();
      assertThat(outcome.message()).contains("table public.item: 1 of its rows differ");
      assertThat(running.phase()).isEqualTo("replicating");
      task.onSource("UPDATE item SET price = 1 WHERE id = 3");
      running.awaitApplied();
    }
  }

  @Test
  void theSourceDecidesWhatADaemonDidThatEndedMeanwhile() throws Exception {
    DdlTask task = shop("decided", "");
    UUID never = UUID.randomUUID();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    noteDeciding(task, never);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      assertThat(step(task)).isEqualTo(TaskStepNames.CUTOVER_FAILED);
      task.onSource("INSERT INTO sold (what) VALUES ('later')");
      task.assertRowsEqual(running);
    }
    UUID decided = UUID.randomUUID();
    noteDeciding(task, decided);
    WriterStop writers = TaskContext.of(task.config()).source().writers().orElseThrow();
    try (StoppedWriters stopped =
        writers.stop(
            new WriterStop.Request(
                decided,
                List.of(TableId.parse("public.item"), TableId.parse("public.sold")),
                BUDGET,
                BUDGET))) {
      stopped.prepareMove(TaskContext.of(task.config()).movedTo());
      stopped.decide();
    }
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("cut-over");
      assertThat(running.daemon().status().cutover().report())
          .anyMatch(line -> line.startsWith("from the stop of the writers"));
      task.onTarget("INSERT INTO sold (what) VALUES ('at the target')");
    }
    assertThat(writers.reopen(TaskContext.of(task.config()).ownCutovers()).opened()).hasSize(2);
    task.onSource("INSERT INTO sold (what) VALUES ('back')");
  }

  @Test
  void hooksHoldTheApplicationsAndLetThemGoWhereTheyBelong() throws Exception {
    Path said = folder.resolve("said");
    String say = "echo $SLUICE_OUTCOME >> " + said;
    DdlTask task =
        shop("hooked", "")
            .withHook(
                "echo pause >> %s; test ! -e %s.broken".formatted(said, said),
                "echo switch >> " + said,
                say);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      assertThat(running.daemon().rehearse(order()).success()).isTrue();
      assertThat(said).content().isEqualTo("pause\nreleased\n");

      Files.createFile(Path.of(said + ".broken"));
      Outcome refused = running.daemon().cutover(order());
      assertThat(refused.success()).isFalse();
      assertThat(refused.message()).contains("hook till");
      assertThat(said).content().isEqualTo("pause\nreleased\npause\nreleased\n");
      assertThat(running.phase()).isEqualTo("replicating");
      task.onSource("INSERT INTO sold (what) VALUES ('not held')");
      Files.delete(Path.of(said + ".broken"));
    }
    // A daemon that died while it held them.
    task.record(TaskStepNames.HOOK + "till", TaskStepNames.HOOK_HOLDS, "by hand");
    Files.delete(said);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      assertThat(said).content().isEqualTo("released\n");
      Outcome moved = running.daemon().cutover(order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
      assertThat(said).content().isEqualTo("released\npause\nswitch\nmoved\n");
    }
  }

  @Test
  void aSequenceThatHasBegunAgainIsSetBackAndOneThatGoesOnOtherwiseIsAChoice() throws Exception {
    DdlTask task = shop("turned", "");
    task.onSource(
        "CREATE SEQUENCE turn MAXVALUE 5 CYCLE",
        "SELECT nextval('turn') FROM generate_series(1, 7)",
        "CREATE ROLE hasty",
        "ALTER ROLE hasty IN DATABASE turned SET statement_timeout = '3s'");
    task.onTarget("CREATE SEQUENCE turn MAXVALUE 5 CYCLE CACHE 3", "SELECT setval('turn', 4)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      List<Finding> choices =
          running.daemon().cutoverReport(order()).open(Weight.CHOICE).stream().toList();
      assertThat(choices)
          .extracting(Finding::kind)
          .contains("different-sequences", "short-timeouts");
      Finding different =
          choices.stream()
              .filter(finding -> finding.kind().equals("different-sequences"))
              .findFirst()
              .orElseThrow();
      assertThat(different.found()).contains("CACHE 3 CYCLE");
      task.onTarget(different.fix());
      Outcome moved = cutover(running, BUDGET, Set.of("short-timeouts"));
      assertThat(moved.success()).as(moved.toString()).isTrue();
      assertThat(task.target("SELECT nextval('turn')")).isEqualTo("3");
    }
  }

  @Test
  void aColumnThatComesJustBeforeTheLocksStopsTheCutover() throws Exception {
    Path hold = folder.resolve("hold");
    Path held = folder.resolve("held");
    DdlTask task =
        shop("widened", "")
            .withHook(
                "touch %s; while test -e %s; do sleep 0.02; done".formatted(held, hold),
                "true",
                "true");
    // Without event triggers.
    task.onSource(
        "CREATE ROLE plain LOGIN REPLICATION",
        "ALTER TABLE item OWNER TO plain",
        "ALTER TABLE sold OWNER TO plain",
        "GRANT CREATE ON DATABASE widened TO plain");
    Files.createFile(hold);
    try (RunningDaemon running = RunningDaemon.replicating(task.configAs("plain"))) {
      assertThat(finding(running, "ddl-not-refused").weight()).isEqualTo(Weight.FACT.text());
      CompletableFuture<Outcome> cutover =
          CompletableFuture.supplyAsync(
              () -> cutover(running, BUDGET, Set.of("missing-owner", "missing-grant")));
      await().atMost(PATIENCE).until(() -> cutover.isDone() || Files.exists(held));
      task.onSource("ALTER TABLE item ADD COLUMN note text");
      Files.delete(hold);
      Outcome outcome = cutover.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(outcome.success()).as(outcome.toString()).isFalse();
      assertThat(outcome.message()).as(outcome.toString()).contains("note");
      assertThat(running.phase()).isEqualTo("replicating");
    }
  }

  private DdlTask shop(String name, String settings) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), settings);
    task.onSource(
        "INSERT INTO item SELECT i, 'n', 0 FROM generate_series(1, 100) i",
        "CREATE TABLE sold (id serial PRIMARY KEY, what text NOT NULL UNIQUE)");
    return task;
  }

  private static List<Seller> sellers(DdlTask task, CompletableFuture<Boolean> moved) {
    List<Seller> sellers = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      sellers.add(Seller.start(i, task, moved));
    }
    return sellers;
  }

  private static void end(List<Seller> sellers) throws InterruptedException {
    for (Seller seller : sellers) {
      seller.end();
    }
  }

  private static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of());
  }

  private static Outcome cutover(RunningDaemon running, Duration budget) {
    return cutover(running, budget, Set.of());
  }

  private static Outcome cutover(RunningDaemon running, Duration budget, Set<String> accepted) {
    try {
      return running.daemon().cutover(new CutoverOrder(PATIENCE, Optional.of(budget), accepted));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitProven(RunningDaemon running) {
    await("every table is read and followed")
        .atMost(PATIENCE)
        .until(
            () ->
                running.daemon().cutoverReport(order()).findings().stream()
                    .noneMatch(finding -> finding.kind().equals("not-proven")));
  }

  private static Finding finding(RunningDaemon running, String kind) throws InterruptedException {
    CutoverReport report = running.daemon().cutoverReport(order());
    return report.open(Weight.FACT).stream()
        .filter(found -> found.kind().equals(kind))
        .findFirst()
        .orElseThrow(() -> new AssertionError(report.toString()));
  }

  /** Each acknowledged row is on the target once, and no other is. */
  private static void assertSold(DdlTask task, List<Seller> sellers) throws Exception {
    Set<String> acknowledged =
        sellers.stream()
            .flatMap(seller -> seller.acknowledged().stream())
            .collect(Collectors.toSet());
    assertThat(Set.of(task.target("SELECT string_agg(what, ' ') FROM sold").split(" ")))
        .isEqualTo(acknowledged);
    assertThat(task.target("SELECT sum(price)::int FROM item"))
        .isEqualTo(String.valueOf(acknowledged.size()));
  }

  private List<Path> reports(DdlTask task) throws Exception {
    try (Stream<Path> files = Files.list(task.config().dataDir())) {
      return files.filter(file -> file.getFileName().toString().startsWith("cutover-")).toList();
    }
  }

  private static String step(DdlTask task) {
    TaskContext context = TaskContext.of(task.config());
    return context.steps().read(context.task(), TaskStepNames.CUTOVER).orElseThrow().state();
  }

  private static void noteDeciding(DdlTask task, UUID cutover) {
    task.record(
        TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, cutover + " " + Instant.now());
  }
}
