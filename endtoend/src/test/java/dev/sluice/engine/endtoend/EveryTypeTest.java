package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Values of every type have the same text on both sides after the load and after changes, between
 * servers of different versions and databases of different settings. With large values in the long
 * form: {@code -Dsluice.value.megabytes=100}.
 */
@ExtendWith(SharedBroker.class)
class EveryTypeTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static EmbeddedPostgres newest;
  private static EmbeddedPostgres older;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() throws SQLException {
    newest = EmbeddedPostgres.start();
    older = EmbeddedPostgres.builder().version(PostgresVersion.OLDER).start();
    for (EmbeddedPostgres server : List.of(newest, older)) {
      try (Connection connection = server.connect()) {
        TypeTables.run(connection, "CREATE ROLE \"The \"\"odd\"\" role\"");
      }
    }
  }

  @AfterAll
  static void stopServers() {
    newest.close();
    older.close();
  }

  @Test
  void noTypeOfTheServerIsForgotten() throws SQLException {
    for (EmbeddedPostgres server : List.of(newest, older)) {
      try (Connection connection = server.connect()) {
        TreeSet<String> known = new TreeSet<>(TypeSamples.builtIn().keySet());
        known.addAll(TypeSamples.WITHOUT_INPUT);
        assertThat(known).isEqualTo(new TreeSet<>(TypeTables.typesOf(connection)));
      }
    }
  }

  @Test
  void everyTypeIsCarriedFromNewToOld() throws Exception {
    carry("types_down", newest, older, TypeTables.Step.values());
  }

  @Test
  void everyTypeIsCarriedFromOldToNew() throws Exception {
    carry("types_up", older, newest, TypeTables.Step.SMALL);
  }

  private void carry(
      String database, EmbeddedPostgres source, EmbeddedPostgres target, TypeTables.Step... steps)
      throws Exception {
    source.createDatabase(database);
    target.createDatabase(database);
    setOtherwise(source, database, "German", "sql_standard", "Asia/Kolkata", "escape", "document");
    setOtherwise(target, database, "SQL, DMY", "iso_8601", "America/St_Johns", "hex", "content");
    try (TypeTables from = TypeTables.on(source.connect(database))) {
      from.make();
      try (RunningDaemon running =
          RunningDaemon.start(task(database, source, target, TypeTables.SCHEMA))) {
        running.awaitPhase("replicating");
        try (TypeTables to = TypeTables.on(target.connect(database))) {
          to.assertEqualTo(from, "full load");
          for (TypeTables.Step step : steps) {
            from.change(step);
            Outcome applied = running.daemon().fence(PATIENCE);
            assertThat(applied.success()).as("%s: %s", step, applied.message()).isTrue();
            to.assertEqualTo(from, step.toString());
          }
        }
        Outcome cutover = running.daemon().cutover(PATIENCE);
        assertThat(cutover.success()).as("%s %s", cutover.message(), cutover.details()).isTrue();
      }
    }
  }

  private TaskConfig task(
      String database, EmbeddedPostgres source, EmbeddedPostgres target, String schema)
      throws IOException {
    Path task =
        TaskFolder.of(folder, database, source, target, database, schema)
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                    + " Sluice: {MaxValueSize: 1024}}")
            .write();
    return TaskFile.read(task, Map.of("HOME", "unused"));
  }

  @Test
  void textsOfADatabaseOfAnotherEncodingAreTheSameTexts() throws Exception {
    try (Connection connection = newest.connect()) {
      TypeTables.run(
          connection, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    }
    older.createDatabase("latin");
    try (Connection source = newest.connect("latin")) {
      makeLatin(source);
      TaskConfig task = task("latin", newest, older, "app");
      TypeTables.run(source, "CREATE TABLE app.cut (id int PRIMARY KEY, n name[])");
      assertThat(TaskChecks.of(task).findings().problems())
          .singleElement()
          .satisfies(
              problem ->
                  assertThat(problem.toString()).contains("column app.cut.n", "LATIN1", "be cut"));
      TypeTables.run(source, "DROP TABLE app.cut");
      carryLatin(source, task);
    }
  }

  @Test
  void columnsWhoseNamesDifferByCaseAloneAreTwo() throws Exception {
    newest.createDatabase("letters");
    older.createDatabase("letters");
    try (Connection source = newest.connect("letters")) {
      TypeTables.run(
          source,
          "CREATE SCHEMA app",
          "CREATE TABLE app.letters (id int, \"ID\" int, \"Id\" text, PRIMARY KEY (\"ID\", id))",
          "INSERT INTO app.letters VALUES (1, 2, 'a'), (2, 1, 'b')");
      try (RunningDaemon running = RunningDaemon.start(task("letters", newest, older, "app"))) {
        running.awaitPhase("replicating");
        TypeTables.run(
            source,
            "UPDATE app.letters SET \"Id\" = 'c' WHERE id = 1",
            "INSERT INTO app.letters VALUES (3, 2, 'd')",
            "ALTER TABLE app.letters ADD COLUMN \"iD\" int DEFAULT 7",
            "UPDATE app.letters SET id = 9, \"iD\" = 8 WHERE \"ID\" = 1");
        assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
        try (Connection target = older.connect("letters")) {
          Comparison.assertEqual(source, target, List.of(new TableId("app", "letters")));
        }
      }
    }
  }

  private void carryLatin(Connection source, TaskConfig task) throws Exception {
    try (RunningDaemon running = RunningDaemon.start(task)) {
      running.awaitPhase("replicating");
      TypeTables.run(
          source,
          "INSERT INTO app.latin SELECT k || 'ÿ', c, b, m, j, x, a FROM app.latin",
          "UPDATE app.latin SET k = 'Ü' || k, c = 'äö', b = 'é', a = a || 'ß'::text");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      try (Connection target = older.connect("latin")) {
        Comparison.assertEqual(source, target, List.of(new TableId("app", "latin")));
      }
    }
  }

  private static void makeLatin(Connection source) throws SQLException {
    TypeTables.run(
        source,
        "CREATE SCHEMA app",
        "CREATE TYPE app.mood AS ENUM ('fröhlich', 'öde')",
        "CREATE TABLE app.latin (k varchar(3) PRIMARY KEY, c char(2), b bpchar, m app.mood, j jsonb,"
            + " x xml, a text[])",
        "INSERT INTO app.latin VALUES"
            + " ('é', 'ñ', '©  ', 'öde', '{\"ü\": \"é\"}', '<ä>§</ä>', '{½,NULL}')");
  }

  /** What a database may set for all its sessions and what none of its values may hang on. */
  private static void setOtherwise(
      EmbeddedPostgres server,
      String database,
      String dateStyle,
      String intervalStyle,
      String timeZone,
      String byteaOutput,
      String xmlOption)
      throws SQLException {
    try (Connection connection = server.connect()) {
      for (String setting :
          List.of(
              "DateStyle = '" + dateStyle + "'",
              "IntervalStyle = " + intervalStyle,
              "TimeZone = '" + timeZone + "'",
              "bytea_output = " + byteaOutput,
              "xmloption = " + xmlOption,
              "extra_float_digits = -15",
              "standard_conforming_strings = off",
              "backslash_quote = on",
              "array_nulls = off",
              "quote_all_identifiers = on",
              "transform_null_equals = on",
              "default_transaction_isolation = serializable",
              "search_path = kinds, app")) {
        TypeTables.run(connection, "ALTER DATABASE " + database + " SET " + setting);
      }
    }
  }
}
