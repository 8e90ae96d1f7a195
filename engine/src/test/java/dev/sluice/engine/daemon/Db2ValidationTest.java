package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToDb2;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.ValidationStatus;
import dev.sluice.engine.validate.only.TaskValidation;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL database and a target of Db2 are compared by a daemon; a Derby server answers. */
@ExtendWith(SharedBroker.class)
class Db2ValidationTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Columns: name, type on the source and on the target, and a fault on the target. */
  private static final String[][] KINDS = {
    {"truth", "boolean", "SMALLINT", "1 - \"truth\""},
    {"sure", "boolean", "BOOLEAN", "NOT \"sure\""},
    {"tiny", "smallint", "INTEGER", "\"tiny\" + 1"},
    {"whole", "integer", "DECIMAL(12,0)", "\"whole\" - 1"},
    {"large", "bigint", "BIGINT", "\"large\" + 1"},
    {"amount", "numeric(12,2)", "DECIMAL(14,4)", "\"amount\" + 0.0001"},
    {"small", "real", "REAL", "\"small\" + 1"},
    {"wider", "real", "DOUBLE", "\"wider\" + 1"},
    {"score", "double precision", "DOUBLE", "\"score\" + 1"},
    {"note", "text", "VARCHAR(4000)", "\"note\" || ' '"},
    {"short", "varchar(40)", "VARCHAR(160)", "'x'"},
    {"grade", "char(5)", "CHAR(5)", "'zz'"},
    {"photo", "bytea", "VARCHAR(200) FOR BIT DATA", "X'00'"},
    {"since", "date", "DATE", "DATE('2001-01-01')"},
    {"seen", "timestamp", "TIMESTAMP", "TIMESTAMP('2024-01-02 03:04:05.120001')"},
    {"changed", "timestamptz", "TIMESTAMP", "TIMESTAMP('2024-03-31 02:59:59.999999')"},
    {"opens", "time", "TIME", "TIME('12:34:57')"},
    {"token", "uuid", "CHAR(36)", "'123E4567-e89b-12d3-a456-426655440000'"},
    {"spare", "uuid", "VARCHAR(40)", "'123e4567'"},
    {"doc", "json", "VARCHAR(4000)", "'{}'"},
    {"tags", "text[]", "VARCHAR(200)", "'{}'"}
  };

  private static final String[] EDGES = {
    """
    true, true, 1, 1, 1, 1.10, 0.1, 0.1, 0.1, 'note', 'short', 'ab', '\\x01', '2024-02-29',
      '2024-01-02 03:04:05.12', '2024-03-31 01:59:59.999999 Europe/Berlin', '12:34:56',
      '123e4567-e89b-12d3-a456-426655440000', '123e4567-e89b-12d3-a456-426655440000',
      '{"a" : 1.0}', '{a}'""",
    """
    false, false, -32768, -2147483648, -9223372036854775808, -9999999999.99, -16777217, 1e10, 1e300,
      '', '', '', '', '0001-01-01', '0001-01-01 00:00:00', '1969-12-31 23:59:59.999999+00',
      '00:00:00', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '"x"', '{NULL,"NULL","a b"}'""",
    """
    true, false, 32767, 2147483647, 9223372036854775807, 9999999999.99, 3.4e38, 1e-20,
      123456789012345680, 'blanks  ', ' ', 'a', '\\x00ff5c27220a20', '9999-12-31',
      '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999+00', '23:59:59',
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'null', '{}'""",
    """
    false, true, 0, 0, 0, 0, 0, 0, 0, E'tab\\t, \\\\ and\\nline "(,)'' ü€😀', '😀ü€\\N', 'üabcd', '\\x20',
      '1582-10-10', '2021-03-28 02:30:00', '1883-11-18 12:00:00+00', '02:30:00', NULL, NULL, NULL,
      '{{1,2},{3,4}}'""",
    """
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL"""
  };

  /** Keys: type on the source and on the target, and a value for a number. */
  private static final String[][] KEYS = {
    {"uuid", "CHAR(36)", "md5(i::text)::uuid"},
    {"varchar(40)", "VARCHAR(160)", "CASE i % 2 WHEN 0 THEN 'A''\\ü' ELSE 'a' END || i"},
    {"char(9)", "CHAR(9)", "'c' || i"},
    {"numeric(12,3)", "DECIMAL(12,3)", "i / 8.0 - 5"},
    {"date", "DATE", "date '2000-02-28' + i"},
    {"timestamptz", "TIMESTAMP", "timestamptz '2001-09-09 01:46:39.99+00' + i * interval '1 hour'"},
    {"double precision", "DOUBLE", "i / 7.0 - 5"},
    {"bytea", "VARCHAR(20) FOR BIT DATA", "decode(lpad(to_hex(i), 8, '0'), 'hex')"}
  };

  @RegisterExtension static final ToDb2 SIDES = new ToDb2();

  @TempDir Path folder;

  @Test
  void valuesAndKeysOfAllTypesAreEqualAndEachFaultIsFoundWhileChangesAreApplied() throws Exception {
    makeKinds();
    makeKeys();
    TaskConfig config = task().config();
    int tables = 1 + KEYS.length;
    List<String> faults = new ArrayList<>();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      requireEqual(running, tables);
      insertEdges(100);
      onSource(
          "INSERT INTO kinds.kind SELECT 200 + n, k.* FROM generate_series(1, 50) n,"
              + " LATERAL (SELECT %s FROM kinds.kind WHERE id = 0) k".formatted(columns()),
          "UPDATE kinds.kind SET note = 'other', whole = 5 WHERE id = 100",
          "DELETE FROM kinds.kind WHERE id = 4");
      running.awaitApplied();
      AtomicBoolean ended = new AtomicBoolean();
      AtomicReference<Exception> failure = new AtomicReference<>();
      Thread writer = new Thread(() -> write(ended, failure), "writer");
      writer.start();
      try {
        requireEqual(running, tables);
        faults.addAll(plant());
        Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
        assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.FAILED);
        await().atMost(LONG).untilAsserted(() -> assertThat(listed()).hasSameSizeAs(faults));
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      running.awaitApplied();
      await()
          .atMost(LONG)
          .untilAsserted(() -> assertThat(validation(running).failed()).isEqualTo(faults.size()));
    }
    for (String fault : faults) {
      assertThat(listed())
          .filteredOn(line -> line.startsWith(fault))
          .as(fault)
          .singleElement()
          .asString()
          .doesNotContain("},\"");
    }
    assertThat(String.join("\n", TaskValidation.of(config).compare(List.of()).lines()))
        .as("read as they are, without a daemon")
        .contains("kinds.kind")
        .contains("%d differ, 1 missing, 1 extra".formatted(KINDS.length));
  }

  /** On a busy machine a row may be changed again each time that it is compared. */
  private static void requireEqual(RunningDaemon running, int tables) throws Exception {
    Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
    for (int more = 0; more < 10 && outcome.ending() == Ending.UNDECIDED; more++) {
      outcome = running.daemon().validate(List.of(), Optional.empty());
    }
    assertThat(outcome.ending())
        .as(outcome + " " + listed() + validation(running))
        .isEqualTo(Ending.DONE);
    assertThat(String.join("\n", outcome.details())).contains("equal: %d tables".formatted(tables));
  }

  private static ValidationStatus validation(RunningDaemon running) {
    return running.daemon().status().validation();
  }

  private static List<String> listed() throws SQLException {
    return onTarget(
        "SELECT \"key\" || ' ' || \"failure_type\" || ' ' || \"details\" FROM"
            + " \"sluice_control\".\"sluice_validation_failures_v2\"");
  }

  /** Changes rows that have no fault. */
  private static void write(AtomicBoolean ended, AtomicReference<Exception> failure) {
    try (Connection session = SIDES.source().connect("postgres")) {
      for (int i = 0; !ended.get(); i++) {
        Sql.texts(
            session,
            "UPDATE kinds.kind SET whole = %d, note = 'note %d' WHERE id = %d"
                .formatted(i, i, 100 + i % 5),
            "UPDATE kinds.key_0 SET v = %d WHERE v < 0 OR v = 3".formatted(-i - 1),
            "SELECT pg_sleep(0.3)");
      }
    } catch (SQLException e) {
      failure.set(e);
    }
  }

  private static void makeKinds() throws SQLException {
    StringBuilder onSource = new StringBuilder("CREATE TABLE kinds.kind (id int PRIMARY KEY");
    StringBuilder onTarget =
        new StringBuilder("CREATE TABLE \"kinds\".\"kind\" (\"id\" INTEGER NOT NULL PRIMARY KEY");
    for (String[] kind : KINDS) {
      onSource.append(", ").append(kind[0]).append(' ').append(kind[1]);
      onTarget.append(", \"").append(kind[0]).append("\" ").append(kind[2]);
    }
    onSource("CREATE SCHEMA kinds", onSource + ")");
    onTarget("CREATE SCHEMA \"kinds\"", onTarget + ")");
    insertEdges(0);
  }

  private static void insertEdges(int from) throws SQLException {
    for (int i = 0; i < EDGES.length; i++) {
      onSource("INSERT INTO kinds.kind VALUES (%d, %s)".formatted(from + i, EDGES[i]));
    }
  }

  private static void makeKeys() throws SQLException {
    for (int i = 0; i < KEYS.length; i++) {
      onSource(
          "CREATE TABLE kinds.key_%d (k %s PRIMARY KEY, v int)".formatted(i, KEYS[i][0]),
          "INSERT INTO kinds.key_%d SELECT %s, i FROM generate_series(1, 150) i"
              .formatted(i, KEYS[i][2]));
      onTarget(
          "CREATE TABLE \"kinds\".\"key_%d\" (\"k\" %s NOT NULL PRIMARY KEY, \"v\" INTEGER)"
              .formatted(i, KEYS[i][1]));
    }
  }

  private static String columns() {
    List<String> names = new ArrayList<>();
    for (String[] kind : KINDS) {
      names.add(kind[0]);
    }
    return String.join(", ", names);
  }

  /** Each is of exactly one column, or a row. */
  private static List<String> plant() throws SQLException {
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < KINDS.length; i++) {
      onTarget(
          "UPDATE \"kinds\".\"kind\" SET \"%s\" = %s WHERE \"id\" = %d"
              .formatted(KINDS[i][0], KINDS[i][3], 201 + i));
      faults.add("{\"id\":\"%d\"} RECORD_DIFF {\"%s\":".formatted(201 + i, KINDS[i][0]));
    }
    onTarget(
        "DELETE FROM \"kinds\".\"kind\" WHERE \"id\" = 250",
        "INSERT INTO \"kinds\".\"kind\" (\"id\") VALUES (9999)");
    faults.add("{\"id\":\"250\"} MISSING_TARGET {}");
    faults.add("{\"id\":\"9999\"} MISSING_SOURCE {}");
    for (int i = 0; i < KEYS.length; i++) {
      onTarget("UPDATE \"kinds\".\"key_%d\" SET \"v\" = 0 WHERE \"v\" = 77".formatted(i));
      String key = onSource("SELECT k FROM kinds.key_%d WHERE v = 77".formatted(i)).get(0);
      faults.add("{\"k\":\"%s\"} RECORD_DIFF {\"v\":".formatted(key.replace("\\", "\\\\")));
    }
    return faults;
  }

  private TaskFolder task() throws Exception {
    return SIDES.task(
        folder,
        "kinds",
        "postgres",
        "kinds",
        "{FullLoadSettings: {TargetTablePrepMode: DO_NOTHING}, ChangeProcessingTuning:"
            + " {BatchApplyTimeoutMin: 0.1}, ValidationSettings: {EnableValidation: true,"
            + " PartitionSize: 100}, Sluice: {ValidationDutyCycle: 100}}");
  }

  private static List<String> onSource(String... statements) throws SQLException {
    return SIDES.onSource("postgres", statements);
  }

  private static List<String> onTarget(String... statements) throws SQLException {
    return SIDES.onTarget(statements);
  }
}
