package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.command.ExitCode;
import dev.sluice.engine.context.TaskLock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task that only compares, on real servers, by its commands. */
class ValidationOnlyTest {
  private static final String ITEMS =
      "INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 1000) i";

  private static final int NOT_PROVEN = 6;

  private static final String FAILURES_TABLE = "sluice_validation_failures_v2";

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.builder().version(PostgresVersion.OLDER).start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void equalTablesOfAnyKindReturnZeroAndNothingIsWrittenAnywhere() throws Exception {
    DdlTask task = make("all_equal", "PartitionSize: 100", "ValidationSnapshotAge: 0.5");
    onBoth(
        task,
        ITEMS,
        "CREATE TABLE bare (t text)",
        "INSERT INTO bare VALUES ('x'), ('x'), (NULL)",
        "CREATE TABLE part (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10)",
        "INSERT INTO part VALUES (1), (2)",
        "CREATE TABLE empty (id int PRIMARY KEY)");
    task.onSource("CREATE TABLE word (w text COLLATE \"en-x-icu\" PRIMARY KEY)");
    task.onTarget("CREATE TABLE word (w text COLLATE \"C\" PRIMARY KEY)");
    onBoth(task, "INSERT INTO word SELECT chr(64 + i) || i FROM generate_series(1, 60) i");
    String before =
        rowsOf(
            target,
            task,
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del), "
                + "count(*) FROM pg_stat_user_tables");

    Said said = run("run", task.file().toString());

    assertThat(said.code()).as(said.text()).isEqualTo(ExitCode.DONE);
    assertThat(said.text())
        .contains("public.item: 1,000 rows, equal")
        .contains("public.bare: 3 rows, equal")
        .contains("public.part: 2 rows, equal")
        .contains("public.word: 60 rows, equal")
        .contains("public.empty: 0 rows, equal")
        .contains("equal: 5 tables, 1,065 rows");
    assertThat(
            rowsOf(
                target,
                task,
                "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del), "
                    + "count(*) FROM pg_stat_user_tables"))
        .isEqualTo(before);
    assertThat(sluiceSchemas(target, task)).isEqualTo("0");
    assertThat(sluiceSchemas(source, task)).isEqualTo("0");
    assertThat(
            rowsOf(
                source,
                task,
                "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()"))
        .isEqualTo("0");
    assertThat(rowsOf(source, task, "SELECT count(*) FROM pg_publication")).isEqualTo("0");
  }

  @Test
  void differingRowsAreListedUntilARunFindsThemEqual() throws Exception {
    DdlTask task = make("listed", "PartitionSize: 100", "");
    onBoth(task, ITEMS, "CREATE TABLE bare (t text)");
    task.onSource("INSERT INTO bare VALUES ('only here')");
    task.onTarget(
        "UPDATE item SET price = -1 WHERE id = 150",
        "DELETE FROM item WHERE id = 7",
        "INSERT INTO item VALUES (2000, 'extra', 0)");

    Said said = run("run", task.file().toString());

    assertThat(said.code()).as(said.text()).isEqualTo(ExitCode.FAILED);
    assertThat(said.text())
        .contains("public.item: 1,000 rows: 1 differ, 1 missing, 1 extra")
        .contains("public.bare: 1 row: 0 differ, 1 missing, 0 extra")
        .contains("NOT equal: 2 tables");
    assertThat(listed(task))
        .isEqualTo(
            "MISSING_TARGET {\"t\":\"only here\"} 2\n"
                + "MISSING_TARGET {\"id\":\"7\"} 2\n"
                + "RECORD_DIFF {\"id\":\"150\"} 2\n"
                + "MISSING_SOURCE {\"id\":\"2000\"} 2");
    assertThat(rowsOf(target, task, "SELECT count(*) FROM sluice_control.checkpoint"))
        .isEqualTo("0");

    task.onTarget("DELETE FROM item", ITEMS, "INSERT INTO bare VALUES ('only here')");
    Said again = run("validate", task.file().toString());

    assertThat(again.code()).as(again.text()).isEqualTo(ExitCode.DONE);
    assertThat(listed(task)).isEmpty();
    Said dropped = run("stop", task.file().toString(), "--drop");
    assertThat(dropped.code()).as(dropped.text()).isEqualTo(ExitCode.DONE);
    assertThat(sluiceSchemas(target, task)).isEqualTo("0");
    assertThat(rowsOf(target, task, "SELECT count(*) FROM item")).isEqualTo("1000");
  }

  @Test
  void aTableThatCannotBeComparedIsNotProvenAndTheOthersAreCompared() throws Exception {
    DdlTask task = make("unproven", "TableFailureMaxCount: 20, PartitionSize: 100", "");
    onBoth(task, ITEMS, "CREATE TABLE many (id int PRIMARY KEY)");
    task.onSource(
        "CREATE TABLE absent (id int PRIMARY KEY)",
        "INSERT INTO many SELECT generate_series(1, 1000)");

    Said said = run("run", task.file().toString());

    assertThat(said.code()).as(said.text()).isEqualTo(ExitCode.FAILED);
    assertThat(said.text())
        .contains("public.absent: not read to its end, not proven: target table public.absent:")
        .contains("TableFailureMaxCount is 20")
        .contains("public.item: 1,000 rows, equal");
    task.onSource("DROP TABLE many");
    Said unproven = run("run", task.file().toString());
    assertThat(unproven.code()).as(unproven.text()).isEqualTo(NOT_PROVEN);
    assertThat(unproven.text()).contains("not proven: 2 tables");
  }

  @Test
  void aTableThatIsLockedForAWhileIsComparedAfterwards() throws Exception {
    DdlTask task = make("held", "", "");
    onBoth(task, ITEMS);
    Said said;
    try (Connection holder = target.connect(task.name());
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("LOCK item IN ACCESS EXCLUSIVE MODE");
      Thread release =
          new Thread(
              () -> {
                try {
                  Thread.sleep(3000);
                  holder.rollback();
                } catch (InterruptedException | SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      release.start();
      said = run("run", task.file().toString());
      release.join();
    }

    assertThat(said.code()).as(said.text()).isEqualTo(ExitCode.DONE);
    assertThat(said.text()).contains("public.item: 1,000 rows, equal");
  }

  @Test
  void aRoleThatMayReadTheTablesSufficesAndOneThatMayNotListRowsIsRefusedAtTheStart()
      throws Exception {
    DdlTask task = make("reader", "", "");
    onBoth(task, ITEMS, "CREATE ROLE reader LOGIN", "GRANT SELECT ON item TO reader");
    task.onTarget("REVOKE TEMPORARY ON DATABASE reader FROM PUBLIC");
    Files.writeString(
        task.file(), Files.readString(task.file()).replace("//postgres@", "//reader@"));
    String file = task.file().toString();

    Said refused = run("check", file);
    task.onTarget("GRANT CREATE ON DATABASE reader TO reader");
    Said equal = run("run", file);
    task.onTarget("DELETE FROM item WHERE id = 1");
    Said differs = run("run", file);

    assertThat(refused.code()).as(refused.text()).isEqualTo(2);
    assertThat(refused.text()).contains("control schema").contains("lists the rows that differ");
    assertThat(equal.code()).as(equal.text()).isEqualTo(ExitCode.DONE);
    assertThat(differs.code()).as(differs.text()).isEqualTo(ExitCode.FAILED);
    assertThat(listed(task)).isEqualTo("MISSING_TARGET {\"id\":\"1\"} 2");
  }

  @Test
  void tablesThatAreComparedWithThemselvesAreRefused() throws Exception {
    DdlTask task = make("mirror", "", "");
    Files.writeString(
        task.file(),
        Files.readString(task.file()).replace(":" + target.port(), ":" + source.port()));

    Said said = run("run", task.file().toString());

    assertThat(said.code()).as(said.text()).isEqualTo(2);
    assertThat(said.text()).contains("are the same database");
  }

  @Test
  void theNameOfAReplicatingTaskIsRefusedAndItsProgressStays() throws Exception {
    DdlTask replicating =
        DdlTask.make(folder, "owner", source, target, "Sluice: { CutoverQuietTime: 0.1 }");
    replicating.onSource(ITEMS);
    Path only = only(replicating, "owner");
    Path other = only(replicating, "beside");
    try (RunningDaemon running = RunningDaemon.replicating(replicating.config())) {
      running.awaitApplied();
      String checkpoint = checkpoint(replicating);

      Said same = run("run", only.toString());
      Said dropped = run("stop", only.toString(), "--drop");
      Said beside = run("run", other.toString());
      replicating.onTarget("UPDATE item SET price = -1 WHERE id = 5");
      Said differs = run("run", other.toString());
      Said removed = run("stop", other.toString(), "--drop");

      assertThat(same.code()).as(same.text()).isEqualTo(2);
      assertThat(same.text()).contains("a task of this name replicates");
      assertThat(dropped.code()).as(dropped.text()).isEqualTo(2);
      assertThat(beside.code()).as(beside.text()).isEqualTo(ExitCode.DONE);
      assertThat(differs.code()).as(differs.text()).isEqualTo(ExitCode.FAILED);
      assertThat(removed.code()).as(removed.text()).isEqualTo(ExitCode.DONE);
      assertThat(checkpoint(replicating)).isEqualTo(checkpoint);
      assertThat(
              rowsOf(target, replicating, "SELECT count(*) FROM sluice_control." + FAILURES_TABLE))
          .isEqualTo("0");
      replicating.onSource("INSERT INTO item VALUES (5000, 'later', 1)");
      running.awaitApplied();
    }
    Said ended = run("stop", only.toString(), "--drop");
    assertThat(ended.code()).as(ended.text()).isEqualTo(2);
    assertThat(
            rowsOf(
                source,
                replicating,
                "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()"))
        .isEqualTo("1");
    assertThat(run("stop", replicating.file().toString(), "--drop").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wait",
        "cutover",
        "repair",
        "retry",
        "tune",
        "logging",
        "resync",
        "reload",
        "resume",
        "connect-config"
      })
  void commandsForATaskThatMovesRowsAreRefused(String command) throws Exception {
    DdlTask task = make("cmd_" + command.replace('-', '_'), "", "");
    boolean ofTables = List.of("reload", "resume").contains(command);

    String file = task.file().toString();
    Said said = ofTables ? run(command, file, "public.item") : run(command, file);

    assertThat(said.code()).as(said.text()).isEqualTo(2);
    assertThat(said.text()).contains("its settings say ValidationOnly");
  }

  @Test
  void whileItComparesOtherCommandsSaySoAndEndNothing() throws Exception {
    DdlTask task = make("busy", "", "");
    onBoth(task, ITEMS);
    String file = task.file().toString();
    assertThat(run("check", file).code()).isEqualTo(ExitCode.DONE);
    assertThat(run("status", file).code()).isEqualTo(ExitCode.FAILED);
    try (TaskLock lock = TaskLock.take("busy", task.config().dataDir())) {
      assertThat(lock.pid()).isPositive();

      Said status = run("status", file);
      Said stop = run("stop", file, "--drop");
      Said second = run("run", file);

      assertThat(status.code()).as(status.text()).isEqualTo(ExitCode.DONE);
      assertThat(status.text()).contains("it compares now, in process");
      assertThat(stop.code()).as(stop.text()).isEqualTo(2);
      assertThat(stop.text()).contains("it compares now");
      assertThat(second.code()).as(second.text()).isEqualTo(2);
    }
  }

  /** Both sides have the table item. */
  private DdlTask make(String name, String validation, String own) throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            name,
            source,
            target,
            "ValidationSettings: { ValidationOnly: true%s }\n  Sluice: { %s }"
                .formatted(validation.isEmpty() ? "" : ", " + validation, own));
    Files.writeString(task.file(), comparing(Files.readString(task.file())));
    task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    return task;
  }

  private static String comparing(String text) {
    return text.replace("full-load-and-cdc", "full-load").replace("DROP_AND_CREATE", "DO_NOTHING");
  }

  /** A task file of the same databases for a task that only compares. */
  private Path only(DdlTask of, String name) throws Exception {
    String text =
        comparing(Files.readString(of.file()))
            .replace("task: " + of.name(), "task: " + name)
            .replace(
                "data-dir: " + folder.resolve(of.name()),
                "data-dir: " + folder.resolve("only_" + name));
    return Files.writeString(
        folder.resolve("only_" + name + ".yaml"),
        text + "  ValidationSettings: { ValidationOnly: true }\n");
  }

  private static void onBoth(DdlTask task, String... statements) throws SQLException {
    task.onSource(statements);
    task.onTarget(statements);
  }

  private static String checkpoint(DdlTask task) throws SQLException {
    return rowsOf(target, task, "SELECT task, epoch FROM sluice_control.checkpoint");
  }

  private static String listed(DdlTask task) throws SQLException {
    return rowsOf(
        target,
        task,
        "SELECT failure_type, key, sessions FROM sluice_control."
            + FAILURES_TABLE
            + " ORDER BY table_name, (key::json ->> 'id')::int");
  }

  private static String sluiceSchemas(EmbeddedPostgres server, DdlTask task) throws SQLException {
    return rowsOf(server, task, "SELECT count(*) FROM pg_namespace WHERE nspname ~ '^sluice'");
  }

  private static String rowsOf(EmbeddedPostgres server, DdlTask task, String query)
      throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Connection connection = server.connect(task.name());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        text.append(text.isEmpty() ? "" : "\n");
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          text.append(i == 1 ? "" : " ").append(row.getString(i));
        }
      }
    }
    return text.toString();
  }

  private record Said(int code, String text) {}

  private static Said run(String... words) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    try {
      return new Said(CommandLines.run(words), said.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
