package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.BUDGET;
import static dev.sluice.engine.daemon.WayBackTask.PATIENCE;
import static dev.sluice.engine.daemon.WayBackTask.armed;
import static dev.sluice.engine.daemon.WayBackTask.awaitCovered;
import static dev.sluice.engine.daemon.WayBackTask.claim;
import static dev.sluice.engine.daemon.WayBackTask.finding;
import static dev.sluice.engine.daemon.WayBackTask.order;
import static dev.sluice.engine.daemon.WayBackTask.switches;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.embedded.FreePort;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.fallback.LostSide;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The way back is armed before the cutover, begins at its position, and brings everybody back. */
@ExtendWith(SharedBroker.class)
class FallbackTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void theOldSourceFollowsTheNewSideUntilTheApplicationsComeBack() throws Exception {
    DdlTask task = shop("back");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      assertThat(forward.daemon().cutover(order()).details())
          .anyMatch(line -> line.contains("fallback-not-armed"));
      assertThat(forward.phase()).isEqualTo("replicating");
      try (RunningDaemon back = armed(task, forward)) {
        task.onSource(
            "INSERT INTO sold (what) SELECT 'before ' || i FROM generate_series(1, 500) i",
            "CREATE TABLE later (id int PRIMARY KEY, what text)",
            "ALTER TABLE item ADD COLUMN note text",
            "INSERT INTO later VALUES (1, 'on the source')");
        task.assertEqual(forward);
        awaitCovered(forward);
        Outcome moved = forward.daemon().cutover(order());
        assertThat(moved.success()).as(moved.toString()).isTrue();
        assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
        long appliedThere = forward.daemon().status().target().changes();

        back.awaitPhase("replicating");
        task.onTarget(
            "INSERT INTO sold (what) SELECT 'after ' || i FROM generate_series(1, 300) i",
            "UPDATE item SET price = price + 1, note = 'new side' WHERE id <= 10",
            "DELETE FROM item WHERE id = 100",
            "ALTER TABLE item ADD COLUMN colour text DEFAULT 'red'",
            "INSERT INTO later VALUES (2, 'on the new side')",
            "CREATE TABLE newest (id int PRIMARY KEY)",
            "INSERT INTO newest VALUES (1), (2)",
            "CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id)",
            "CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (10)",
            "INSERT INTO parts VALUES (1)");
        task.assertEqual(back);
        assertRefused(task, "INSERT INTO newest VALUES (3)");
        assertRefused(task, "TRUNCATE newest");
        assertRefused(task, "INSERT INTO parts VALUES (2)");
        assertRefused(task, "INSERT INTO low VALUES (2)");
        assertRefused(task, "TRUNCATE low");
        UUID others = closeForAnother(task);
        assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
        assertThat(forward.daemon().status().target().changes()).isEqualTo(appliedThere);
        assertThat(back.daemon().status().target().changes()).isEqualTo(315L);
        assertThat(
                task.source(
                    "SELECT count(*) FROM pg_replication_slots WHERE slot_name ="
                        + " 'sluice_back'"))
            .isEqualTo("0");
        assertThat(forward.daemon().status().problem()).isNull();

        // The table that the way back has made on the old source belongs to its role.
        Outcome returned =
            back.daemon()
                .cutover(
                    new CutoverOrder(
                        PATIENCE, Optional.of(BUDGET), Set.of("missing-owner", "missing-grant")));
        assertThat(returned.success()).as(returned.toString()).isTrue();
        assertThat(back.phase()).isEqualTo("cut-over");
        task.onSource(
            "INSERT INTO sold (what) VALUES ('back again')",
            "INSERT INTO newest VALUES (3)",
            "INSERT INTO parts VALUES (2)",
            "INSERT INTO low VALUES (3)");
        assertRefused(task, "INSERT INTO others VALUES (1)");
        writers(task).reopen(WriterStop.Whose.only(others));
        task.onSource("DROP TABLE others");
        assertThatThrownBy(() -> task.onTarget("INSERT INTO sold (what) VALUES ('no')"))
            .hasMessageContaining("moved");
        assertThat(Integer.parseInt(task.source("SELECT id FROM sold WHERE what = 'back again'")))
            .isGreaterThan(800);
      }
    }
    // Both tasks are removed, and the same target is used again.
    remove(task.fallback());
    task.remove();
    CutoverMemory.forget(
        task.config().target(), "back", CutoverMemory.of(task.config().target(), "back").keySet());
    TaskContext back = TaskContext.of(task.fallback());
    assertThat(back.source().writers().orElseThrow().reopen(back.ownCutovers()).opened())
        .isNotEmpty();
    assertThat(task.target("SELECT count(*) FROM pg_namespace WHERE nspname = 'sluice_control'"))
        .isEqualTo("0");
    assertThat(task.source("SELECT count(*) FROM pg_namespace WHERE nspname = 'sluice_control'"))
        .isEqualTo("0");
    task.onTarget("DROP TABLE item, sold, later, newest, parts");
    try (RunningDaemon again = RunningDaemon.replicating(task.config())) {
      task.onSource("INSERT INTO sold (what) VALUES ('once more')");
      task.assertEqual(again);
    }
  }

  private static void assertRefused(DdlTask task, String write) {
    assertThatThrownBy(() -> task.onSource(write)).hasMessageContaining("moved");
  }

  /** A table of the old source that another task's cutover has closed; returns that cutover. */
  private static UUID closeForAnother(DdlTask task) throws Exception {
    UUID cutover = UUID.randomUUID();
    task.onSource("CREATE TABLE others (id int)");
    try (StoppedWriters stopped =
        writers(task)
            .stop(
                new WriterStop.Request(
                    cutover, List.of(TableId.parse("public.others")), BUDGET, BUDGET))) {
      stopped.prepareMove("elsewhere");
      stopped.decide();
    }
    return cutover;
  }

  private static WriterStop writers(DdlTask task) {
    return TaskContext.of(task.config()).source().writers().orElseThrow();
  }

  private static void remove(TaskConfig config) {
    try (TaskLock lock = TaskLock.take(config.task().text(), config.dataDir())) {
      assertThat(TaskRemoval.of(config).remove(lock)).isNotEmpty();
    }
  }

  @Test
  void renamedTablesComeBackUnderTheirOwnNames() throws Exception {
    DdlTask task = shop("renamed");
    rename(
        task,
        transformation(2, "schema", "{ schema-name: public }", "shop")
            + transformation(3, "table", "{ schema-name: public, table-name: item }", "goods"));
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      // The schema of another name has rights of its own.
      Outcome moved =
          forward
              .daemon()
              .cutover(new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of("missing-grant")));
      assertThat(moved.success()).as(moved.toString()).isTrue();
      back.awaitPhase("replicating");
      task.onTarget(
          "INSERT INTO shop.goods VALUES (101, 'new', 1)",
          "UPDATE shop.goods SET price = 7 WHERE id = 1",
          "ALTER TABLE shop.goods ADD COLUMN note text DEFAULT 'n'",
          "INSERT INTO shop.sold (what) VALUES ('there')",
          "CREATE TABLE shop.newest (id int PRIMARY KEY)",
          "INSERT INTO shop.newest VALUES (1)",
          // Neither has a name that would be its own on the old source.
          "CREATE TABLE shop.item (id int PRIMARY KEY)",
          "INSERT INTO shop.item VALUES (1)",
          "CREATE TABLE public.apart (id int PRIMARY KEY)",
          "INSERT INTO public.apart VALUES (1)",
          "ALTER TABLE shop.newest RENAME TO newer",
          "INSERT INTO shop.newer VALUES (2)");
      back.awaitApplied();
      assertThat(task.source("SELECT count(*) || ' ' || max(id) FROM item")).isEqualTo("101 101");
      assertThat(task.source("SELECT price || note FROM item WHERE id = 1")).isEqualTo("7.00n");
      assertThat(task.source("SELECT string_agg(what, ',') FROM sold")).isEqualTo("there");
      assertThat(task.source("SELECT count(*) FROM newer")).isEqualTo("2");
      assertThat(task.source("SELECT to_regclass('apart') IS NULL")).isEqualTo("t");
      assertRefused(task, "INSERT INTO newer VALUES (3)");
      assertThat(back.daemon().status().problem()).isNull();
      assertThat(forward.daemon().status().problem()).isNull();
      Outcome returned =
          back.daemon()
              .cutover(
                  new CutoverOrder(
                      PATIENCE, Optional.of(BUDGET), Set.of("missing-owner", "missing-grant")));
      assertThat(returned.success()).as(returned.toString()).isTrue();
      task.onSource("INSERT INTO sold (what) VALUES ('back again')", "DELETE FROM item");
      assertThatThrownBy(() -> task.onTarget("DELETE FROM shop.goods"))
          .hasMessageContaining("moved");
    }
    assertThat(CutoverMemory.of(task.fallback().target(), "renamed_fallback"))
        .containsKey(TableId.parse("public.item"));
  }

  @Test
  void aTableThatWouldComeBackAsAnotherOneStopsTheCutover() throws Exception {
    DdlTask task = shop("mistaken");
    rename(task, transformation(2, "table", "{ schema-name: public, table-name: wares }", "sold"));
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      assertThat(forward.daemon().cutoverReport(order()).findings())
          .filteredOn(found -> found.kind().equals("fallback-not-armed"))
          .anyMatch(found -> found.found().contains("takes for public.wares"));
      Outcome refused = forward.daemon().cutover(order());
      assertThat(refused.success()).isFalse();
    }
  }

  /** Selects the tables of one schema, and adds rules. */
  private static void rename(DdlTask task, String rules) throws Exception {
    String text = Files.readString(task.file());
    String locator = "object-locator: { schema-name: \"%\", table-name: \"%\" }";
    assertThat(text).contains(locator);
    Files.writeString(
        task.file(),
        text.replace(
            locator,
            "object-locator: { schema-name: public, table-name: \"%\" }\n"
                + rules.stripTrailing()));
  }

  private static String transformation(int id, String target, String locator, String name) {
    return ("    - {rule-type: transformation, rule-id: \"%d\", rule-name: \"r%d\", rule-target: %s,"
            + " object-locator: %s, rule-action: rename, value: %s}\n")
        .formatted(id, id, target, locator, name);
  }

  @Test
  void aTaskThatWasCutOverWithoutAWayBackHasNone() throws Exception {
    DdlTask task = shop("late");
    Path file = task.file();
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("fallback:.*\n", ""));
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      assertThat(forward.daemon().cutover(order()).success()).isTrue();
    }
    Files.writeString(file, text);
    RunningDaemon back = RunningDaemon.start(task.fallback());
    assertThatThrownBy(back::awaitEnd).hasMessageContaining("no way back was armed");
    assertThat(slots(task)).isEqualTo("0");
  }

  @Test
  void aSourceThatIsOnlyQuietCannotBeCutOverWithAWayBack() throws Exception {
    DdlTask task = shop("quiet");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      Outcome refused = forward.daemon().cutover(CutoverOrder.quiet(PATIENCE));
      assertThat(refused.success()).isFalse();
      assertThat(refused.message()).contains("--quiet-period", "way back");
    }
  }

  @Test
  void aCutoverThatFailsChangesNothingAndTheNextOneWorks() throws Exception {
    Path broken = folder.resolve("broken");
    DdlTask task = shop("aborted").withHook("test ! -e " + broken, "true", "true");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = armed(task, forward)) {
        Files.createFile(broken);
        Outcome failed = forward.daemon().cutover(order());
        assertThat(failed.success()).isFalse();
        assertThat(failed.message()).contains("hook till");
        assertThat(switches(task).open()).isEmpty();
        task.onSource("INSERT INTO sold (what) VALUES ('after the failure')");
        task.assertRowsEqual(forward);
        awaitCovered(forward);
        Files.delete(broken);
        Outcome moved = forward.daemon().cutover(order());
        assertThat(moved.success()).as(moved.toString()).isTrue();
        back.awaitPhase("replicating");
        task.onTarget("INSERT INTO sold (what) VALUES ('on the new side')");
        task.assertRowsEqual(back);
        assertThat(back.daemon().status().target().changes()).isEqualTo(1);
      }
    }
  }

  @Test
  void theKeptLogNeverPassesASwitchThatMayBeDecided() throws Exception {
    DdlTask task = shop("kept");
    UUID never = UUID.randomUUID();
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = armed(task, forward)) {
        switches(task).announce(claim(task), never);
        String announced = task.target("SELECT pg_current_wal_insert_lsn()");
        for (int i = 0; i < 4; i++) {
          task.onSource("UPDATE item SET price = price + 1");
          forward.awaitApplied();
          Thread.sleep(1_000);
        }
        assertThat(confirmed(task, "< '" + announced + "'")).isEqualTo("t");
        // The daemon died after the position, and before the source was asked.
        switches(task).place(claim(task), never);
        assertThat(back.phase()).isEqualTo("armed");
      }
    }
    noteDeciding(task, never);
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      assertThat(switches(task).open()).isEmpty();
      String given = task.target("SELECT pg_current_wal_insert_lsn()");
      await().atMost(PATIENCE).until(() -> confirmed(task, ">= '" + given + "'").equals("t"));
      assertThat(back.phase()).isEqualTo("armed");
    }
  }

  @Test
  void aDecisionIsRolledForwardByBothDaemons() throws Exception {
    DdlTask task = shop("forward");
    UUID decided = UUID.randomUUID();
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      task.assertRowsEqual(forward);
      switches(task).announce(claim(task), decided);
      switches(task).place(claim(task), decided);
      assertThat(back.phase()).isEqualTo("armed");
    }
    noteDeciding(task, decided);
    WriterStop writers = TaskContext.of(task.config()).source().writers().orElseThrow();
    try (StoppedWriters stopped =
        writers.stop(
            new WriterStop.Request(
                decided,
                List.of(TableId.parse("public.item"), TableId.parse("public.sold")),
                BUDGET,
                BUDGET))) {
      stopped.prepareMove("the other", Optional.of("carrier_forward"));
      stopped.decide();
    }
    try (RunningDaemon back = RunningDaemon.start(task.fallback())) {
      back.awaitPhase("armed");
      // What the new side gets before this task has left the old source.
      task.onTarget("INSERT INTO sold (what) VALUES ('early')");
      Thread.sleep(3_000);
      assertThat(back.phase()).isEqualTo("armed");
      assertThat(task.source("SELECT count(*) FROM sold")).isEqualTo("0");
      try (RunningDaemon forward = RunningDaemon.start(task.config())) {
        forward.awaitPhase("cut-over");
        back.awaitPhase("replicating");
        task.onTarget("INSERT INTO sold (what) VALUES ('late')");
        task.assertRowsEqual(back);
      }
    }
    // Both start again where they were.
    try (RunningDaemon back = RunningDaemon.replicating(task.fallback());
        RunningDaemon forward = RunningDaemon.start(task.config())) {
      forward.awaitPhase("cut-over");
      task.onTarget("INSERT INTO sold (what) VALUES ('later')");
      task.assertRowsEqual(back);
      assertThat(task.source("SELECT count(*) FROM sold")).isEqualTo("3");
      assertThat(forward.daemon().status().problem()).isNull();
    }
  }

  @Test
  void theNewSideIsNotFilledWithLogForTheWayBack() throws Exception {
    DdlTask task = shop("limited").withSluice("FallbackLogLimit: 64");
    UUID open = UUID.randomUUID();
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = armed(task, forward)) {
        switches(task).announce(claim(task), open);
        task.onTarget(
            "SELECT count(pg_logical_emit_message(false, 'till', repeat(md5(i::text), 30000)))"
                + " FROM generate_series(1, 100) i",
            "CHECKPOINT");
        await().atMost(PATIENCE).until(() -> back.phase().equals("failed"));
        assertThat(back.daemon().status().reason()).contains("given up", "FallbackLogLimit");
        assertThatThrownBy(back::awaitEnd).hasMessageContaining("given up");
      }
      assertThat(slots(task)).isEqualTo("0");
      assertThat(finding(forward, "fallback-not-armed")).isPresent();
    }
  }

  @Test
  void whatTheWayBackDropsAndRenamesIsNoProblemAndWhatOthersDoIs() throws Exception {
    DdlTask task = shop("carried");
    task.onSource(
        "CREATE TABLE gone (id int PRIMARY KEY)",
        "CREATE TABLE named (id int PRIMARY KEY)",
        "CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (10)");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      Outcome moved = forward.daemon().cutover(order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
      back.awaitPhase("replicating");
      task.onTarget(
          "DROP TABLE gone",
          "ALTER TABLE named RENAME TO renamed",
          "CREATE TABLE made (id int PRIMARY KEY)",
          "CREATE TABLE high PARTITION OF parts FOR VALUES FROM (10) TO (20)",
          "DROP TABLE parts",
          "INSERT INTO renamed VALUES (1)",
          "INSERT INTO made VALUES (1)");
      task.assertEqual(back);
      // The second look after it has begun after it.
      awaitLookAfter(forward, awaitLookAfter(forward, Instant.now()));
      assertThat(forward.daemon().status().problem()).isNull();

      String allow = "SET sluice_moved.ddl = 'allowed'; ";
      assertRefused(task, "ALTER TABLE renamed RENAME TO other");
      task.onSource(allow + "ALTER TABLE renamed RENAME TO other");
      awaitProblem(forward, "public.renamed", "dropped or renamed");
      task.onSource(allow + "ALTER TABLE other RENAME TO renamed");
      task.onSource("DROP TRIGGER \"!sluice_moved\" ON made");
      awaitProblem(forward, "public.made", "writers are not refused");
      assertThat(forward.daemon().status().problem()).doesNotContain("public.renamed");
    }
  }

  private static Instant awaitLookAfter(RunningDaemon running, Instant before) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> Optional.ofNullable(running.daemon().status().sourceWatch()),
            watch -> watch.isPresent() && watch.get().lookedAt().isAfter(before))
        .orElseThrow()
        .lookedAt();
  }

  private static void awaitProblem(RunningDaemon running, String... parts) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(running.daemon().status().problem()).contains(parts));
  }

  @Test
  void aRoleWithoutRightsIsRefusedByName() throws Exception {
    DdlTask task = shop("rightless");
    task.onSource("ALTER ROLE carrier_rightless NOSUPERUSER");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      RunningDaemon back = RunningDaemon.start(task.fallback());
      assertThatThrownBy(back::awaitEnd)
          .hasMessageContaining("carrier_rightless")
          .hasMessageContaining("GRANT");
      assertThat(finding(forward, "fallback-not-armed")).isPresent();
      assertThat(slots(task)).isEqualTo("0");
      task.onSource(
          "ALTER TABLE item OWNER TO carrier_rightless",
          "ALTER TABLE sold OWNER TO carrier_rightless",
          "GRANT CREATE ON DATABASE rightless TO carrier_rightless",
          "GRANT ALL ON SCHEMA public TO carrier_rightless",
          "GRANT SET ON PARAMETER session_replication_role TO carrier_rightless");
      try (RunningDaemon other = armed(task, forward)) {
        Outcome moved =
            forward
                .daemon()
                .cutover(
                    new CutoverOrder(
                        PATIENCE, Optional.of(BUDGET), Set.of("missing-owner", "missing-grant")));
        assertThat(moved.success()).as(moved.toString()).isTrue();
        other.awaitPhase("replicating");
        task.onTarget(
            "INSERT INTO sold (what) VALUES ('there')",
            "ALTER TABLE item ADD COLUMN colour text",
            "UPDATE item SET colour = 'red' WHERE id = 1");
        task.assertEqual(other);
        await()
            .atMost(PATIENCE)
            .until(() -> task.source("SELECT last_value > 10000 FROM sold_id_seq").equals("t"));
      }
    }
  }

  @Test
  void theOldSourceCanBeUsedWhenTheNewSideIsLost() throws Exception {
    DdlTask task = shop("lost");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      assertThat(forward.daemon().cutover(order()).success()).isTrue();
      back.awaitPhase("replicating");
      task.onTarget("INSERT INTO sold (what) SELECT 'there ' || i FROM generate_series(1, 50) i");
      task.assertRowsEqual(back);
      await()
          .atMost(PATIENCE)
          .until(() -> task.source("SELECT last_value > 10000 FROM sold_id_seq").equals("t"));
    }
    DdlTask gone = task.withTargetPort(FreePort.find());
    try (LostSide side = LostSide.read(gone.fallback(), false)) {
      assertThat(side.known()).anyMatch(line -> line.contains("may lack"));
    }
    assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
    String file = gone.file().toString();
    assertThat(CommandLines.run("fallback", file, "--target-lost")).isEqualTo(2);
    assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
    assertThat(CommandLines.run("fallback", file, "--target-lost", "--yes")).isZero();
    assertThat(CommandLines.run("fallback", file, "--target-lost", "--yes")).isZero();
    task.onSource("INSERT INTO sold (what) VALUES ('here')");
    assertThat(task.source("SELECT count(*) FROM sold")).isEqualTo("51");
    assertThat(CommandLines.run("stop", file, "--fallback", "--drop", "--source-gone")).isZero();
    assertThat(task.source("SELECT count(*) FROM pg_namespace WHERE nspname = 'sluice_control'"))
        .isEqualTo("0");
  }

  @Test
  void whatWasArmedIsRemovedAgain() throws Exception {
    DdlTask task = shop("removed");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = armed(task, forward)) {
        back.daemon().stop(true);
        back.awaitEnd();
      }
      assertThat(slots(task)).isEqualTo("0");
      assertThat(task.target("SELECT count(*) FROM pg_publication")).isEqualTo("0");
      assertThat(task.target("SELECT count(*) FROM pg_event_trigger")).isEqualTo("0");
      assertThat(task.source("SELECT count(*) FROM pg_namespace WHERE nspname = 'sluice_control'"))
          .isEqualTo("0");
      assertThat(finding(forward, "fallback-not-armed").orElseThrow().found())
          .contains("no daemon has armed it");
      task.onSource("INSERT INTO sold (what) VALUES ('goes on')");
      task.assertRowsEqual(forward);
    }
  }

  private static String slots(DdlTask task) throws Exception {
    return task.target(
        "SELECT count(*) FROM pg_replication_slots WHERE database = '" + task.name() + "'");
  }

  private static String confirmed(DdlTask task, String condition) throws Exception {
    return task.target(
        "SELECT confirmed_flush_lsn "
            + condition
            + " FROM pg_replication_slots WHERE slot_name = 'sluice_"
            + task.name()
            + "_fallback'");
  }

  private static void noteDeciding(DdlTask task, UUID cutover) {
    TaskContext.of(task.config())
        .steps()
        .record(
            claim(task),
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_DECIDING,
            cutover + " " + Instant.now());
  }

  private DdlTask shop(String name) throws Exception {
    return WayBackTask.shop(folder, SERVERS, name);
  }
}
