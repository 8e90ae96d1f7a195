package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.status.TaskControl.Ending;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL database is loaded into a target that is as strict as YugabyteDB. */
@ExtendWith(SharedBroker.class)
class YugabyteTargetTest {
  private static final String LINES =
      "SELECT concat_ws('|', orders, no, code) FROM shop.line ORDER BY orders, no";

  private static final Pattern USED =
      Pattern.compile(
          "^(CREATE TEMPORARY TABLE|CREATE TABLE|CREATE INDEX|CREATE UNIQUE INDEX|CREATE SCHEMA|COMMENT ON SCHEMA|COMMENT ON TABLE"
              + "|DROP TABLE|BEGIN ISOLATION LEVEL [A-Z ]+|SET LOCAL|SET|[A-Z]+(?: [A-Z]{4,})?)\\b"
              + "|\\b(pg_[a-z_]+|yb_[a-z_]+|unnest|hashtext|hashtextextended|hash_record_extended|record_send|sha256|setval|to_regclass|date_bin)\\b"
              + "|\\b(ON CONFLICT|FOR UPDATE|FOR SHARE|RETURNING|LATERAL|WITH RECURSIVE|OVERRIDING)\\b");

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;
  private static StrictProxy proxy;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
    proxy = new StrictProxy(target.port(), 0);
  }

  @AfterAll
  static void stop() throws Exception {
    proxy.close();
    target.close();
    source.close();
  }

  @AfterEach
  void onlyWhatThePageForOperatorsListsWasSentAndNothingThatYugabytedbRefuses() throws IOException {
    assertListed(proxy);
  }

  static void assertListed(StrictProxy proxy) throws IOException {
    assertThat(proxy.refused()).isEmpty();
    String page = Files.readString(Path.of("../docs/operate/yugabytedb.md"));
    int from = page.indexOf("## What is sent");
    Set<String> listed =
        Stream.of(page.substring(from, page.indexOf("\n## ", from + 1)).split("[,|\n]"))
            .map(String::strip)
            .collect(Collectors.toSet());
    Set<String> unlisted = new TreeSet<>();
    proxy.statements().stream().flatMap(YugabyteTargetTest::used).forEach(unlisted::add);
    unlisted.removeAll(listed);
    assertThat(unlisted)
        .as("statements, clauses, catalogs and functions that the page does not list")
        .isEmpty();
  }

  /** The kind of a statement, its clauses beyond plain SQL, and what it uses of the server. */
  private static Stream<String> used(String statement) {
    return USED.matcher(statement).results().map(found -> found.group().strip());
  }

  @Test
  void aTableIsLoadedEmptiedFollowedSuspendedAndLoadedAgain() throws Exception {
    create("whole");
    onSource("whole", "INSERT INTO shop.line VALUES (1, 1, 'loaded')");
    onTarget("whole", "INSERT INTO shop.line VALUES (9, 9, 'of others')");
    for (String mode : List.of("DO_NOTHING", "TRUNCATE_BEFORE_LOAD")) {
      assertThat(problems(task("whole", "{TargetTablePrepMode: " + mode + "}").config()))
          .singleElement()
          .asString()
          .contains("shop.line (1 row)");
    }
    TaskConfig consent =
        task(
                "whole",
                "{TargetTablePrepMode: TRUNCATE_BEFORE_LOAD},"
                    + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE}")
            .replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:")
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(consent)) {
      assertThat(onTarget("whole", LINES)).containsExactly("1|1|loaded");
      onSource(
          "whole",
          "TRUNCATE shop.line",
          "INSERT INTO shop.line SELECT i, i % 7, 'c' || i FROM generate_series(1, 3000) i",
          "UPDATE shop.line SET code = code || '!' WHERE orders % 2 = 0",
          "DELETE FROM shop.line WHERE orders % 3 = 0");
      running.awaitApplied();
      assertThat(onTarget("whole", LINES)).isEqualTo(onSource("whole", LINES));
      onSource("whole", "ALTER TABLE shop.line ADD COLUMN more int");
      onSource("whole", "INSERT INTO shop.line VALUES (9000, 2, 'b', 5)");
      running.awaitSuspended();
      onTarget("whole", "ALTER TABLE shop.line ADD COLUMN more int");
      running.reload(new TableId("shop", "line"));
      onSource("whole", "INSERT INTO shop.line VALUES (9001, 3, 'c', 6)");
      running.awaitApplied();
      assertThat(onTarget("whole", LINES)).isEqualTo(onSource("whole", LINES));
      assertThat(onTarget("whole", "SELECT more FROM shop.line WHERE orders >= 9000"))
          .containsExactlyInAnyOrder("5", "6");
      assertThat(validate(running)).isEqualTo(Ending.DONE);
      onTarget("whole", "UPDATE shop.line SET code = 'other' WHERE orders = 9001");
      assertThat(validate(running)).isEqualTo(Ending.FAILED);
      assertThat(running.daemon().repair(List.of(), false).message())
          .contains("corrections of rows by comparisons", "deletes all its rows first");
      assertThat(running.daemon().tune(Map.of("ValidationRepair", "repair")).details())
          .singleElement()
          .asString()
          .contains("corrections of rows by comparisons");
      assertThat(running.daemon().tune(Map.of("ValidationSnapshotAge", "0.5")).details())
          .singleElement()
          .asString()
          .contains("comparisons in less than a second");
      onSource("whole", "UPDATE shop.line SET code = 'newer' WHERE orders = 9001");
      running.awaitApplied();
      assertThat(validate(running)).isEqualTo(Ending.DONE);
      running.daemon().stop(true);
      running.awaitEnd();
    }
    assertThat(onTarget("whole", "SELECT task FROM sluice_control.checkpoint")).isEmpty();
  }

  @Test
  void tablesAreMadeLoadedAndFollowedAndMadeAgainOnceTheyAreAltered() throws Exception {
    source.createDatabase("made");
    target.createDatabase("made");
    onSource(
        "made",
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.customer (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,"
            + " name varchar(40) NOT NULL UNIQUE, note text DEFAULT 'none', extra jsonb,"
            + " tags text[], at timestamptz DEFAULT now(), CHECK (length(name) > 3))",
        "CREATE INDEX by_note ON shop.customer (note)",
        "CREATE INDEX by_expression ON shop.customer (lower(note))",
        "CREATE TABLE shop.line (orders bigserial, no smallint, code varchar(20), customer int"
            + " REFERENCES shop.customer (id) ON DELETE CASCADE, PRIMARY KEY (orders, no))",
        "INSERT INTO shop.customer (name, note, tags) SELECT 'name ' || i, i, ARRAY['a', NULL]"
            + " FROM generate_series(1, 100) i",
        "INSERT INTO shop.line SELECT i / 5, i % 5, 'c' || i, i FROM generate_series(1, 100) i");
    TaskConfig config =
        task(
                "made",
                "{TargetTablePrepMode: DROP_AND_CREATE},"
                    + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE}")
            .config();
    assertThat(TaskChecks.of(config).findings().notes())
        .anyMatch(note -> note.contains("check shop.customer.customer_name_check"))
        .anyMatch(note -> note.contains("shop.customer.by_expression: of expressions"));
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(indexes())
          .containsExactly(
              "by_note|true", "customer_name_key|true", "customer_pkey|true", "line_pkey|true");
      onSource(
          "made",
          "INSERT INTO shop.customer (name) SELECT 'new ' || i FROM generate_series(1, 50) i",
          "UPDATE shop.customer SET note = NULL, extra = '{\"n\": 1}' WHERE id % 3 = 0",
          "DELETE FROM shop.line WHERE no = 2");
      running.awaitApplied();
      assertThat(validate(running)).isEqualTo(Ending.DONE);
      onSource("made", "ALTER TABLE shop.line ADD COLUMN more int NOT NULL DEFAULT 7");
      onSource("made", "INSERT INTO shop.line VALUES (1000, 1, 'new', NULL, 8)");
      running.awaitSuspended();
      running.reload(new TableId("shop", "line"));
      running.awaitApplied();
      assertThat(validate(running)).isEqualTo(Ending.DONE);
      assertThat(onTarget("made", "SELECT DISTINCT more FROM shop.line ORDER BY more"))
          .containsExactly("7", "8");
      running.daemon().stop(true);
      running.awaitEnd();
    }
    assertThat(
            onTarget(
                "made",
                "SELECT count(obj_description(oid, 'pg_class')) FROM pg_class"
                    + " WHERE relnamespace = 'shop'::regnamespace"))
        .containsExactly("0");
  }

  @Test
  void aLoadAloneMakesForeignKeysAndSetsIdentities() throws Exception {
    source.createDatabase("alone");
    target.createDatabase("alone");
    onSource(
        "alone",
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.customer (id int PRIMARY KEY CHECK (id > 0))",
        "CREATE TABLE shop.line (no bigserial PRIMARY KEY, customer int REFERENCES shop.customer (id))",
        "INSERT INTO shop.customer VALUES (1)",
        "INSERT INTO shop.line (customer) SELECT 1 FROM generate_series(1, 20) i");
    TaskConfig config =
        task("alone", "{TargetTablePrepMode: DROP_AND_CREATE}")
            .replacing("full-load-and-cdc", "full-load")
            .config();
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitEnd();
    }
    assertThat(onTarget("alone", "INSERT INTO shop.line (customer) VALUES (1) RETURNING no"))
        .containsExactly("21");
    assertThat(
            onTarget(
                "alone",
                "SELECT conname || '|' || convalidated FROM pg_constraint WHERE contype IN ('c', 'f')"
                    + " AND connamespace = 'shop'::regnamespace ORDER BY 1"))
        .containsExactly("customer_id_check|true", "line_customer_fkey|true");
  }

  private static List<String> indexes() throws SQLException {
    return onTarget(
        "made",
        "SELECT c.relname || '|' || indisvalid FROM pg_index JOIN pg_class c"
            + " ON c.oid = indexrelid WHERE c.relnamespace = 'shop'::regnamespace ORDER BY c.relname");
  }

  @Test
  void whatTheTargetCannotDoIsRefusedByName() throws Exception {
    create("refused");
    onSource("refused", "CREATE TABLE shop.heap (n int)");
    onTarget(
        "refused",
        "CREATE TABLE shop.heap (n int)",
        "ALTER TABLE shop.line ADD CONSTRAINT late UNIQUE (code) DEFERRABLE");
    assertThat(
            problems(
                task(
                        "refused",
                        "{TargetTablePrepMode: DO_NOTHING},"
                            + " ValidationSettings: {EnableValidation: true},"
                            + " Sluice: {ValidationRepair: repair}")
                    .config()))
        .anyMatch(problem -> problem.contains("shop.heap") && problem.contains("without a key"))
        .anyMatch(problem -> problem.contains("constraint late is a deferrable one"))
        .anyMatch(
            problem ->
                problem.contains("ValidationRepair")
                    && problem.contains("corrections of rows by comparisons"))
        .noneMatch(problem -> problem.contains("comparisons with the source"));
    assertThat(
            problems(
                task(
                        "refused",
                        "{TargetTablePrepMode: DO_NOTHING},"
                            + " ValidationSettings: {EnableValidation: true},"
                            + " Sluice: {ValidationSnapshotAge: 0.5}")
                    .config()))
        .anyMatch(problem -> problem.contains("setting ValidationSnapshotAge of 500 ms"));
    assertThat(
            problems(
                task(
                        "refused",
                        "{TargetTablePrepMode: DO_NOTHING},"
                            + " Sluice: {ValidationRepair: repair, ValidationSnapshotAge: 0.5}")
                    .config()))
        .as("settings of a validation that does not run")
        .noneMatch(problem -> problem.contains("setting Validation"));
    assertThat(problems(task("refused", "{TargetTablePrepMode: DROP_AND_CREATE}").config()))
        .anyMatch(problem -> problem.contains("that this task did not make: shop"));
    assertThatThrownBy(
            () -> task("refused", "{TargetTablePrepMode: DO_NOTHING}").fallback("back").config())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("section fallback");
  }

  @Test
  void aTaskWhoseFileAsksForRepairsRunsAndIsComparedOnceItDoesNot() throws Exception {
    create("repairs");
    TaskConfig config =
        task("repairs", "{TargetTablePrepMode: DO_NOTHING}, Sluice: {ValidationRepair: repair}")
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.daemon().validate(List.of(), Optional.empty()).message())
          .contains("setting ValidationRepair repair");
      assertThat(running.daemon().tune(Map.of("BatchApplyTimeoutMax", "20")).success()).isTrue();
      assertThat(running.daemon().tune(Map.of("ValidationRepair", "none")).success()).isTrue();
      assertThat(validate(running)).isEqualTo(Ending.DONE);
      running.daemon().stop(true);
      running.awaitEnd();
    }
  }

  private static Ending validate(RunningDaemon running) throws InterruptedException {
    return running.daemon().validate(List.of(), Optional.empty()).ending();
  }

  private static List<String> problems(TaskConfig config) {
    return TaskChecks.of(config).findings().problems().stream().map(Problem::toString).toList();
  }

  private static void create(String database) throws SQLException {
    String table =
        "CREATE TABLE shop.line (orders bigint, no smallint, code varchar(20), PRIMARY KEY (orders, no))";
    source.createDatabase(database);
    target.createDatabase(database);
    onSource(database, "CREATE SCHEMA shop", table);
    onTarget(database, "CREATE SCHEMA shop", table);
  }

  private TaskFolder task(String database, String load) throws Exception {
    return TaskFolder.of(
            folder.resolve(database), database, source.port(), proxy.port(), database, "shop")
        .target(
            "yugabytedb", "yugabytedb://postgres@127.0.0.1:%d/%s".formatted(proxy.port(), database))
        .settings(
            "{FullLoadSettings: %s, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
                .formatted(load));
  }

  private static List<String> onSource(String database, String... statements) throws SQLException {
    return texts(source, database, statements);
  }

  private static List<String> onTarget(String database, String... statements) throws SQLException {
    return texts(target, database, statements);
  }

  private static List<String> texts(EmbeddedPostgres server, String database, String... statements)
      throws SQLException {
    try (Connection session = server.connect(database)) {
      return Sql.texts(session, statements);
    }
  }
}
