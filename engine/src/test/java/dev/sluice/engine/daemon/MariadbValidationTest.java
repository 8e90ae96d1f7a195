package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToMariadb;
import dev.sluice.engine.status.RecordFile;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.ValidationStatus;
import dev.sluice.engine.validate.only.OnlyResult;
import dev.sluice.engine.validate.only.TaskValidation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A MariaDB target is compared with its PostgreSQL source, beside its changes. */
@ExtendWith(SharedBroker.class)
@Timeout(600)
@TestInstance(Lifecycle.PER_CLASS)
class MariadbValidationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String VALIDATED =
      ", ValidationSettings: {EnableValidation: true, PartitionSize: 100},"
          + " Sluice: {ValidationDutyCycle: 100}";

  private static final String MADE = "{TargetTablePrepMode: DROP_AND_CREATE}" + VALIDATED;
  private static final String BY_HAND = "{TargetTablePrepMode: DO_NOTHING}" + VALIDATED;

  /** Columns of all types that the target takes, each with a value for a fault on the target. */
  private static final String[][] KINDS = {
    {"truth", "boolean", "NOT truth"},
    {"tiny", "smallint", "tiny + 1"},
    {"whole", "integer", "whole - 1"},
    {"large", "bigint", "large + 1"},
    {"amount", "numeric(12,2)", "amount + 0.01"},
    {"any_number", "numeric", "CONCAT(any_number, '0')"},
    {"small", "real", "small + 1"},
    {"score", "double precision", "score + 1"},
    {"note", "text", "CONCAT(note, ' ')"},
    {"short", "varchar(40)", "UPPER(CONCAT(short, 'x'))"},
    {"grade", "char(5)", "'zz'"},
    {"photo", "bytea", "X'00'"},
    {"since", "date", "since + INTERVAL 1 DAY"},
    {"seen", "timestamp", "seen + INTERVAL 1 MICROSECOND"},
    {"changed", "timestamptz", "changed - INTERVAL 1 HOUR"},
    {"rough", "timestamptz(0)", "rough + INTERVAL 1 SECOND"},
    {"opens", "time", "'24:00:00'"},
    {"lasts", "interval", "'1 day'"},
    {"token", "uuid", "UPPER(token)"},
    {"flags", "bit(5)", "b'10000'"},
    {"more_flags", "bit varying(9)", "'1'"},
    {"doc", "json", "'{}'"},
    {"extra", "jsonb", "'[]'"},
    {"tags", "text[]", "'{}'"},
    {"color", "shop.color", "'blue'"},
    {"span", "int4range", "'empty'"},
    {"host", "inet", "'10.0.0.2'"},
    {"price", "money", "'$1.00'"},
    {"age", "shop.age", "'7'"},
    {"number", "oid", "'8'"}
  };

  private static final String[] EDGES = {
    """
    true, 1, 1, 1, 1.10, 1.100, 0.1, 0.1, 'note', 'short', 'ab', '\\x01', '2024-02-29',
      '2024-01-02 03:04:05.12', '2024-03-31 01:59:59.999999 Europe/Berlin',
      '2024-10-27 02:30:00 Europe/Berlin', '12:34:56.5', '03:04:05',
      '123e4567-e89b-12d3-a456-426655440000', B'00101', B'', '{"a" : 1.0}', '{"a": 1.0}', '{a}',
      'red', '[1,2)', '10.0.0.1', 12.5, 5, 7""",
    """
    false, -32768, -2147483648, -9223372036854775808, -9999999999.99, 'NaN', '-0', '-0', '', '', '',
      '', '0001-01-01', '0001-01-01 00:00:00', '1969-12-31 23:59:59.999999+00',
      '1900-01-01 00:00:00+00', '00:00:00', '1 mon -2 days 03:00:00.5',
      '00000000-0000-0000-0000-000000000000', B'00000', B'101', '{}', '{}', '{}', 'red', 'empty',
      '::1/64', -1, 0, 0""",
    """
    true, 32767, 2147483647, 9223372036854775807, 9999999999.99, 1e-20, 3.4e38, 1e300, 'blanks  ',
      'blanks  ', 'a', '\\x00ff5c27220a', '9999-12-31', '9999-12-31 23:59:59.999999',
      '9999-12-31 23:59:59.999999+00', '2038-01-19 03:14:08+00', '24:00:00', '-838:59:59',
      'ffffffff-ffff-ffff-ffff-ffffffffffff', B'11111', B'111111111', '"x"', '"x"',
      '{NULL,"NULL","a b"}', 'blue', '(,)', '0.0.0.0/0', 0, 99, 4294967295""",
    """
    false, 0, 0, 0, 0, 0, 1e-45, 5e-324, E'tab\\t, \\\\ and\\nline "(,)'' ü€😀', '😀ü€\\N', 'ü😀',
      decode(repeat('5c22', 9000), 'hex'), '1970-01-01', '1970-01-01 00:00:00',
      '1970-01-01 00:00:00+00', '1970-01-01 00:00:00+00', '00:00:00.000001', '00:00:00',
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8', B'10101', NULL, 'null', 'null', '{{1,2},{3,4}}', NULL,
      NULL, NULL, NULL, NULL, NULL""",
    """
    NULL, NULL, NULL, NULL, NULL, '123456789012345678901234567890.123456789012345678901234567890',
      1234567, 123456789012345680, repeat('long ü ', 3000), NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL""",
    """
    NULL, NULL, NULL, NULL, NULL, 'Infinity', 16777217, 0.1, NULL, NULL, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"""
  };

  @RegisterExtension final ToMariadb sides = servers();

  @TempDir Path folder;

  ToMariadb servers() {
    return new ToMariadb();
  }

  @Test
  void valuesOfAllTypesAreEqualAfterTheLoadAndAfterChangesAndEachFaultIsFound() throws Exception {
    create("kinds");
    makeKinds();
    insertEdges(0);
    try (RunningDaemon running = RunningDaemon.replicating(task("kinds", MADE).config())) {
      requireEqual(running, 1);
      insertEdges(100);
      onSource(
          "kinds",
          "INSERT INTO shop.kind SELECT 200 + n, k.* FROM generate_series(1, 50) n,"
              + " LATERAL (SELECT %s FROM shop.kind WHERE id = 0) k".formatted(columns()),
          "UPDATE shop.kind SET note = 'other', whole = 5 WHERE id = 100",
          "UPDATE shop.kind SET amount = amount WHERE id < 10",
          "DELETE FROM shop.kind WHERE id = 5");
      running.awaitApplied();
      requireEqual(running, 1);

      List<String> faults = new ArrayList<>();
      for (int i = 0; i < KINDS.length; i++) {
        onTarget(
            "UPDATE shop.kind SET %s = %s WHERE id = %d"
                .formatted(KINDS[i][0], KINDS[i][2], 201 + i));
        faults.add("{\"id\":\"%d\"} RECORD_DIFF {\"%s\":".formatted(201 + i, KINDS[i][0]));
      }
      onTarget(
          "DELETE FROM shop.kind WHERE id = 250",
          "INSERT INTO shop.kind (id) VALUES (9999)",
          "UPDATE shop.kind SET note = NULL WHERE id = 249",
          "UPDATE shop.kind SET truth = 2 WHERE id = 248");
      faults.addAll(
          List.of(
              "{\"id\":\"248\"} RECORD_DIFF {\"truth\":",
              "{\"id\":\"249\"} RECORD_DIFF {\"note\":",
              "{\"id\":\"250\"} MISSING_TARGET {}",
              "{\"id\":\"9999\"} MISSING_SOURCE {}"));
      AtomicBoolean ended = new AtomicBoolean();
      AtomicReference<Exception> failure = new AtomicReference<>();
      Thread writer =
          new Thread(
              () ->
                  write(
                      "kinds",
                      number ->
                          "UPDATE shop.kind SET whole = %d, doc = '{\"n\": %d}' WHERE id = %d"
                              .formatted(number, number, 100 + number % 6),
                      ended,
                      failure),
              "writer");
      writer.start();
      try {
        requireFound(running, faults);
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
    }
  }

  /** Each fault is of exactly one column. */
  private void requireFound(RunningDaemon running, List<String> faults) throws Exception {
    Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
    assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.FAILED);
    String query =
        "SELECT CONCAT(\"key\", ' ', failure_type, ' ', details) FROM"
            + " sluice_control.sluice_validation_failures_v2 ORDER BY id";
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(validation(running).failed())
                  .as(onTarget(query).toString())
                  .isEqualTo(faults.size());
            });
    List<String> listed = onTarget(query);
    assertThat(listed).hasSameSizeAs(faults);
    for (String fault : faults) {
      assertThat(listed)
          .filteredOn(line -> line.startsWith(fault))
          .as(fault)
          .singleElement()
          .asString()
          .doesNotContain("},\"");
    }
  }

  @Test
  void columnsOfOtherTypesAreReadAsThoseOfTheSource() throws Exception {
    create("by_hand");
    onSource(
        "by_hand",
        """
        CREATE TABLE shop.alike (id smallint, vip boolean, seen timestamptz, PRIMARY KEY (vip, seen, id),
          flag boolean, token uuid, n int, d int, gap interval, grade char(3), small real, at time,
          note varchar(20), big bigint)
        """,
        """
        INSERT INTO shop.alike SELECT i, i % 2 = 0, timestamptz '2001-09-09 01:46:39.999999+00' + i * interval '1 day',
          i % 3 = 0, '6ba7b810-9dad-11d1-80b4-00c04fd430c8', -i, i, i * interval '-1.5 seconds', 'g' || i % 9,
          i / 3.0, time '00:00:00.25' + i * interval '1 second', 'note ', i FROM generate_series(1, 300) i
        """,
        "INSERT INTO shop.alike (id, vip, seen) VALUES (301, true, '2020-01-01')");
    onTarget(
        """
        CREATE TABLE shop.alike (id bigint, vip int, seen datetime(6), PRIMARY KEY (vip, seen, id),
          flag bit(1), token %s, n bigint, d decimal(12,0), gap time(6), grade varchar(3),
          small double, at time(6), note varchar(30), big decimal(22,2))
        """
            .formatted(sides.isMysql() ? "char(36)" : "uuid"));
    TaskConfig config = task("by_hand", BY_HAND).config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      requireEqual(running, 1);
      onSource(
          "by_hand",
          "UPDATE shop.alike SET flag = NOT flag, gap = gap * 2, grade = '', small = small * 3",
          "UPDATE shop.alike SET vip = NOT vip WHERE id % 7 = 0");
      running.awaitApplied();
      requireEqual(running, 1);
      onTarget(
          "UPDATE shop.alike SET flag = 1 - flag WHERE id = 5",
          "UPDATE shop.alike SET gap = '00:00:01' WHERE id = 10",
          "UPDATE shop.alike SET vip = 1 - vip WHERE id = 15",
          "UPDATE shop.alike SET big = big + 0.01 WHERE id = 20");
      Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
      assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.FAILED);
      // A key that differs is one row that is missing and one that is extra.
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 5);
    }
    assertThat(String.join("\n", TaskValidation.of(config).compare(List.of()).lines()))
        .contains("shop.alike: 301 rows: 3 differ, 1 missing, 1 extra");
  }

  @Test
  void rowsAreFoundByKeysOfAllTypes() throws Exception {
    create("keys");
    String[][] keys = {
      {"uuid", "md5(i::text)::uuid"},
      {"varchar(40)", "'word ' || md5(i::text)"},
      {
        "varchar(40) COLLATE \"C\"",
        "CASE i % 3 WHEN 0 THEN 'a ' WHEN 1 THEN 'A' ELSE 'ü😀''\\' END || i"
      },
      {"char(9) COLLATE \"C\"", "'c' || i"},
      {"numeric(12,3)", "i / 8.0 - 20"},
      {"double precision", "i / 7.0 - 20"},
      {"real", "i / 7.0 - 20"},
      {"date", "date '1960-01-01' + i * 20"},
      {"timestamptz", "timestamptz '1969-12-31 23:59:59.999999+00' + i * interval '1 hour'"},
      {"time", "time '00:00:00.5' + i * interval '1 second'"},
      {"bit(12)", "i::bit(12)"}
    };
    for (int k = 0; k < keys.length; k++) {
      onSource(
          "keys",
          "CREATE TABLE shop.k%d (k %s, n int, PRIMARY KEY (k))".formatted(k, keys[k][0]),
          "INSERT INTO shop.k%d SELECT %s, i FROM generate_series(1, 400) i"
              .formatted(k, keys[k][1]));
    }
    try (RunningDaemon running = RunningDaemon.replicating(task("keys", MADE).config())) {
      requireEqual(running, keys.length);
      for (int k = 0; k < keys.length; k++) {
        // What is touched is looked up by its key.
        onSource(
            "keys",
            "UPDATE shop.k%d SET n = -n WHERE n %% 5 = 0".formatted(k),
            "DELETE FROM shop.k%d WHERE n = 17".formatted(k));
        onTarget(
            "UPDATE shop.k%d SET n = 0 WHERE n = 333".formatted(k),
            "DELETE FROM shop.k%d WHERE n = 42".formatted(k));
      }
      running.awaitApplied();
      assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
          .isEqualTo(Ending.FAILED);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(validation(running).tables())
                      .allMatch(table -> table.failed() == 2, "two faults")
                      .hasSize(keys.length));
    }
  }

  @Test
  void tablesThatAreWrittenAllTheTimeAreProvenEqualWithoutOneFalseDifference() throws Exception {
    create("moving");
    onSource(
        "moving",
        "CREATE TABLE shop.account (id int PRIMARY KEY, name varchar(30), balance numeric(12,2), at timestamptz)",
        "INSERT INTO shop.account SELECT i, 'name ' || i, i, now() FROM generate_series(1, 2000) i",
        "CREATE TABLE shop.word (word varchar(40) COLLATE \"en-x-icu\" PRIMARY KEY, n int)",
        "INSERT INTO shop.word SELECT md5(i::text), i FROM generate_series(1, 1000) i");
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (RunningDaemon running = RunningDaemon.replicating(task("moving", MADE).config())) {
      Random random = new Random(7);
      Thread writer =
          new Thread(
              () -> write("moving", number -> change(number, random), ended, failure), "writer");
      writer.start();
      try {
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  ValidationStatus found = validation(running);
                  assertThat(found.failed() + found.pending()).isZero();
                  return found.sessions() > 20
                      && found.tables().size() == 2
                      && found.tables().stream().allMatch(table -> table.read() != null);
                });
        onTarget(
            "UPDATE shop.account SET name = 'fault' WHERE id = 1995",
            "DELETE FROM shop.account WHERE id = 1996",
            "INSERT INTO shop.word VALUES ('extra', 1)");
        running.daemon().validate(List.of(), Optional.empty());
        await().atMost(PATIENCE).until(() -> validation(running).failed() == 3);
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      assertThat(onTarget("SELECT \"key\" FROM sluice_control.sluice_validation_failures_v2"))
          .containsExactlyInAnyOrder(
              "{\"id\":\"1995\"}", "{\"id\":\"1996\"}", "{\"word\":\"extra\"}");
    }
  }

  private static String change(int number, Random random) {
    int id = 1 + random.nextInt(1990);
    return switch (number % 4) {
      case 0 -> "UPDATE shop.account SET balance = balance + 1, at = now() WHERE id = " + id;
      case 1 ->
          "INSERT INTO shop.account VALUES (%d, 'new', 0, now()) ON CONFLICT (id) DO UPDATE SET name = 'again'"
              .formatted(id);
      case 2 -> "DELETE FROM shop.account WHERE id = " + id;
      default ->
          "UPDATE shop.word SET word = md5(word), n = n + 1 WHERE n %% 97 = %d".formatted(id % 97);
    };
  }

  private void write(
      String database,
      IntFunction<String> change,
      AtomicBoolean ended,
      AtomicReference<Exception> failure) {
    try (Connection session = sides.source().connect(database);
        Statement statement = session.createStatement()) {
      for (int i = 0; !ended.get(); i++) {
        // Sessions need a target that keeps up, on a slow machine too.
        Thread.sleep(5);
        statement.execute(change.apply(i));
      }
    } catch (SQLException | InterruptedException e) {
      failure.set(e);
    }
  }

  @Test
  void aTaskThatOnlyComparesNamesWhatItCannotCompare() throws Exception {
    create("only");
    onSource(
        "only",
        "CREATE TABLE shop.color (id int PRIMARY KEY, color text)",
        "INSERT INTO shop.color VALUES (1, 'red')",
        "CREATE TABLE shop.size (id int PRIMARY KEY, size varchar(9), at timestamptz)",
        "INSERT INTO shop.size SELECT i, 's', '2020-01-01' FROM generate_series(1, 3) i");
    onTarget(
        "CREATE TABLE shop.color (id int PRIMARY KEY, color enum('red', 'blue'))",
        "INSERT INTO shop.color VALUES (1, 'red')",
        "CREATE TABLE shop.size (id int PRIMARY KEY, size varchar(9), at datetime(6), more year)",
        "INSERT INTO shop.size (id, size, at) VALUES (1, 's', '2020-01-01'), (2, 'S', '2020-01-01'),"
            + " (3, 's', '2020-01-01')");
    TaskFolder file =
        task("only", "{}, ValidationSettings: {ValidationOnly: true}")
            .replacing("migration-type: full-load-and-cdc", "migration-type: full-load");

    OnlyResult result = ValidationOnlyTask.of(file.config()).run();

    assertThat(String.join("\n", result.lines()))
        .contains("shop.size: 3 rows: 1 differ, 0 missing, 0 extra")
        .contains("not compared: [more ONLY_ON_TARGET]")
        .contains("shop.color, column color: is enum('red','blue')");
    assertThat(
            onTarget(
                "SELECT CONCAT(\"key\", details) FROM sluice_control.sluice_validation_failures_v2"))
        .containsExactly("{\"id\":\"2\"}{\"size\":{\"source\":\"s\",\"target\":\"S\"}}");
  }

  /** Casting the source's values to the target's types would hide what the target has lost. */
  @Test
  void valuesThatAColumnOfTheTargetCutAreNeverCalledEqual() throws Exception {
    create("cut");
    String[][] kinds = {
      {"timestamp", "'2020-01-01 10:00:00.4'", "datetime", "'2020-01-01 10:00:00'"},
      {"timestamptz", "'2020-01-01 10:00:00.4+00'", "datetime(0)", "'2020-01-01 10:00:00'"},
      {"numeric(10,2)", "1.04", "decimal(10,1)", "1.0"},
      {"numeric(10,2)", "5.40", "int", "5"},
      {"integer", "5", "decimal(10,2)", "5.40"},
      {"real", "0.1", "double", "0.10000000149011612"},
      {"char(7)", "'abcdefg'", "char(5)", "'abcde'"},
      {"varchar(9)", "'abcdefg'", "char(5)", "'abcde'"},
      {"varchar(9)", "'a  '", "char(5)", "'a'"},
      // Of these no value is known to be the source's.
      {"timestamp", "'2020-01-01 10:00:00'", "date", "'2020-01-01'"},
      {"numeric", "1.04", "decimal(10,1)", "1.0"},
      {"double precision", "0.1", "float", "0.1"},
      {"timestamp", "'2020-01-01 10:00:00'", "timestamp NULL", "'2020-01-01 10:00:00'"},
      {"bit(8)", "B'00000101'", "bit(4)", "b'0101'"},
      {"text", "'05'", "int", "5"}
    };
    int differing = 9;
    for (int i = 0; i < kinds.length; i++) {
      onSource(
          "cut",
          "CREATE TABLE shop.t%02d (id int PRIMARY KEY, v %s)".formatted(i, kinds[i][0]),
          "INSERT INTO shop.t%02d VALUES (1, %s)".formatted(i, kinds[i][1]));
      onTarget(
          "SET time_zone = '+00:00'",
          "CREATE TABLE shop.t%02d (id int PRIMARY KEY, v %s)".formatted(i, kinds[i][2]),
          "INSERT INTO shop.t%02d VALUES (1, %s)".formatted(i, kinds[i][3]));
    }
    TaskFolder file =
        task("cut", "{}, ValidationSettings: {ValidationOnly: true}")
            .replacing("migration-type: full-load-and-cdc", "migration-type: full-load");

    String found = String.join("\n", ValidationOnlyTask.of(file.config()).run().lines());

    for (int i = 0; i < kinds.length; i++) {
      assertThat(found)
          .as(String.join(", ", kinds[i]))
          .contains(
              i < differing
                  ? "shop.t%02d: 1 row: 1 differ, 0 missing, 0 extra".formatted(i)
                  : "target table shop.t%02d, column v: is ".formatted(i));
    }
  }

  @Test
  void aDatabaseThatTheServerHasUnderAnotherNameIsNamedBeforeTheComparison() throws Exception {
    create("named");
    onSource("named", "CREATE SCHEMA \"Shop\"", "CREATE TABLE \"Shop\".line (id int PRIMARY KEY)");
    try (EmbeddedMariadb caseless =
        EmbeddedMariadb.builder().fsync().setting("lower-case-table-names", "1").start()) {
      TaskFolder file =
          task("named", "{}, ValidationSettings: {ValidationOnly: true}")
              .replacing("migration-type: full-load-and-cdc", "migration-type: full-load")
              .replacing("schema-name: shop", "schema-name: Shop")
              .replacing(
                  "127.0.0.1:%d/shop".formatted(sides.target().port()),
                  "127.0.0.1:%d/Shop".formatted(caseless.port()));
      try (Connection session = caseless.connect();
          Statement statement = session.createStatement()) {
        statement.execute("CREATE DATABASE shop");
        statement.execute("CREATE TABLE shop.line (id int PRIMARY KEY)");
      }

      assertThat(ValidationOnlyTask.of(file.config()).check().problems())
          .singleElement()
          .asString()
          .contains("Shop.line", "lower_case_table_names");
    }
  }

  @Test
  void aRowOfWhichTheTargetRejectedAChangeSaysSo() throws Exception {
    create("rejected");
    onSource(
        "rejected",
        "CREATE TABLE shop.line (id int PRIMARY KEY, price int)",
        "INSERT INTO shop.line SELECT i, i FROM generate_series(1, 10) i");
    onTarget(
        "CREATE TABLE shop.line (id int PRIMARY KEY, price int, CONSTRAINT cheap CHECK (price < 100))");
    String tolerant = ", ErrorBehavior: {DataErrorPolicy: LOG_ERROR}";
    TaskConfig config = task("rejected", BY_HAND + tolerant).config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource("rejected", "UPDATE shop.line SET price = 1000 WHERE id = 5");
      running.passFence();
      running.daemon().validate(List.of(), Optional.empty());
      await().atMost(PATIENCE).until(() -> validation(running).rejected() == 1);
      assertThat(onTarget("SELECT rejection FROM sluice_control.sluice_validation_failures_v2"))
          .singleElement()
          .asString()
          .contains("its UPDATE at", "cheap", "then run sluice repair");
      onTarget("ALTER TABLE shop.line DROP CONSTRAINT cheap");
      assertThat(running.daemon().repair(List.of(), false).success()).isTrue();
      assertThat(onTarget("SELECT price FROM shop.line WHERE id = 5")).containsExactly("1000");
      requireEqual(running, 1);
    }
  }

  @Test
  void theRecordOfAPassNamesTheServersAndHasNoStatements() throws Exception {
    create("recorded");
    onSource(
        "recorded",
        "CREATE TABLE shop.line (id int PRIMARY KEY)",
        "INSERT INTO shop.line SELECT generate_series(1, 250)");
    TaskConfig config = task("recorded", MADE).config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      UUID id = UUID.randomUUID();
      Outcome outcome = running.daemon().validate(List.of(), Optional.of(id));
      assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
      List<String> record = Files.readAllLines(RecordFile.of(config.dataDir(), id));
      assertThat(record)
          .anyMatch(line -> line.matches("# target: .*, database shop, (MariaDB 1|MySQL 9).*"))
          .anyMatch(line -> line.startsWith("# part 1: "))
          .noneMatch(line -> line.matches("(source|target): .*"));
    }
  }

  private static void requireEqual(RunningDaemon running, int tables) throws Exception {
    Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
    assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
    await().atMost(PATIENCE).until(() -> validation(running).provenTables() == tables);
  }

  private static ValidationStatus validation(RunningDaemon running) {
    return running.daemon().status().validation();
  }

  private void makeKinds() throws SQLException {
    StringBuilder definition = new StringBuilder("CREATE TABLE shop.kind (id int PRIMARY KEY");
    for (String[] kind : KINDS) {
      definition.append(", ").append(kind[0]).append(' ').append(kind[1]);
    }
    onSource(
        "kinds",
        "CREATE TYPE shop.color AS ENUM ('red', 'blue')",
        "CREATE DOMAIN shop.age AS int CHECK (value >= 0)",
        definition + ")");
  }

  private static String columns() {
    List<String> names = new ArrayList<>();
    for (String[] kind : KINDS) {
      names.add(kind[0]);
    }
    return String.join(", ", names);
  }

  private void insertEdges(int from) throws SQLException {
    for (int i = 0; i < EDGES.length; i++) {
      onSource("kinds", "INSERT INTO shop.kind VALUES (%d, %s)".formatted(from + i, EDGES[i]));
    }
  }

  void create(String database) throws SQLException {
    sides.source().createDatabase(database);
    onSource(database, "CREATE SCHEMA shop");
    sides.createShop();
    onTarget("DROP DATABASE IF EXISTS sluice_control");
  }

  TaskFolder task(String database, String load) throws Exception {
    return sides.loading(folder, database, load);
  }

  List<String> onSource(String database, String... statements) throws SQLException {
    return sides.onSource(database, statements);
  }

  List<String> onTarget(String... statements) throws SQLException {
    return sides.onTarget(
        Stream.concat(Stream.of("SET sql_mode = 'ANSI_QUOTES'"), Stream.of(statements))
            .toArray(String[]::new));
  }
}
