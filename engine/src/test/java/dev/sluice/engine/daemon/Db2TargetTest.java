package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToDb2;
import dev.sluice.engine.check.TaskChecks;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL database goes to a server of Derby, through Db2's driver. */
@ExtendWith(SharedBroker.class)
class Db2TargetTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final TableId CUSTOMER = new TableId("shop", "customer");

  private static final List<String> TABLES = List.of("customer", "line");

  @RegisterExtension static final ToDb2 SIDES = new ToDb2();

  @TempDir Path folder;

  @Test
  void rowsAndChangesOfTheUsualTypesArriveThroughKillsOfTheDaemonAndOfTheServer() throws Exception {
    create("shop");
    TaskFolder task = task("shop", "{TargetTablePrepMode: DO_NOTHING}");
    Process killed = ToDb2.daemon(task.write());
    try {
      insert(201);
      await("a change is applied")
          .atMost(LONG)
          .until(() -> killed.isAlive() && onTarget(count("shop")).equals(List.of("201")));
      change(2);
      killed.destroyForcibly().waitFor();
    } finally {
      killed.destroyForcibly();
    }
    change(3);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      requireEqual("shop");
      SIDES.target().restart();
      change(5);
      insert(202);
      running.awaitApplied();
      requireEqual("shop");
    }
    onSource("TRUNCATE shop.line", "INSERT INTO shop.line VALUES (1, 1, 'after a restart')");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      requireEqual("shop");
      suspendedAndResumed(running);
      suspendedAndLoadedAgain(running);
      running.daemon().stop(true);
      running.awaitEnd();
    }
    assertThat(onTarget("SELECT SCHEMANAME FROM SYS.SYSSCHEMAS WHERE SCHEMANAME LIKE 'sluice%'"))
        .as("the schema of locks is for all tasks")
        .containsExactly("sluice_locks");
  }

  /** What the table has missed is written, and made durable, while the others are held for it. */
  private static void suspendedAndResumed(RunningDaemon running) throws Exception {
    onTarget(
        "ALTER TABLE \"shop\".\"customer\" ADD CONSTRAINT \"cheap\" CHECK (\"balance\" < 5000000)");
    onSource("UPDATE shop.customer SET balance = 7000000 WHERE id = 8");
    running.awaitSuspended();
    onSource(
        "UPDATE shop.customer SET note = 'missed' WHERE id = 8",
        "UPDATE shop.line SET code = 'moved on' WHERE no = 1");
    onTarget("ALTER TABLE \"shop\".\"customer\" DROP CONSTRAINT \"cheap\"");
    assertThat(running.daemon().resume(List.of(CUSTOMER)).success()).isTrue();
    await("the table joins the others")
        .atMost(LONG)
        .until(() -> running.daemon().status().suspended().isEmpty());
    running.awaitApplied();
    requireEqual("shop");
  }

  private static void suspendedAndLoadedAgain(RunningDaemon running) throws Exception {
    onSource("ALTER TABLE shop.customer ADD COLUMN more int");
    onSource("UPDATE shop.customer SET more = id WHERE id % 2 = 0");
    running.awaitSuspended();
    onTarget("ALTER TABLE \"shop\".\"customer\" ADD COLUMN \"more\" INTEGER");
    running.reload(CUSTOMER);
    onSource("UPDATE shop.customer SET more = 7 WHERE id = 9");
    running.awaitApplied();
    requireEqual("shop");
  }

  @Test
  void whatTheTargetCannotDoIsRefusedByNameBeforeAnythingIsTouched() throws Exception {
    create("refused");
    onSource(
        "CREATE TABLE refused.heap (n int)", "CREATE TABLE refused.missing (n int PRIMARY KEY)");
    onSource("CREATE TABLE refused.large (n int PRIMARY KEY, body text)");
    onTarget(
        "CREATE TABLE \"refused\".\"heap\" (\"n\" INTEGER)",
        "CREATE TABLE \"refused\".\"large\" (\"n\" INTEGER NOT NULL PRIMARY KEY, \"body\" CLOB)",
        "ALTER TABLE \"refused\".\"line\" ADD CONSTRAINT \"of_customer\" FOREIGN KEY (\"orders\")"
            + " REFERENCES \"refused\".\"customer\" (\"id\")",
        "CREATE UNIQUE INDEX \"refused\".\"once\" ON \"refused\".\"line\" (\"code\")",
        "INSERT INTO \"refused\".\"customer\" (\"id\") VALUES (1)");
    assertThat(problems(task("refused", "{TargetTablePrepMode: DO_NOTHING}")))
        .anyMatch(problem -> problem.contains("refused.heap") && problem.contains("without a key"))
        .anyMatch(
            problem ->
                problem.contains("refused.missing") && problem.contains("Create it, or deselect"))
        .anyMatch(problem -> problem.contains("column body is of type CLOB"))
        .anyMatch(problem -> problem.contains("foreign key of_customer"))
        .anyMatch(problem -> problem.contains("refused.customer (1 row)"));
    assertThat(
            TaskChecks.of(task("refused", "{TargetTablePrepMode: DO_NOTHING}").config())
                .findings()
                .notes())
        .anyMatch(note -> note.contains("never on Db2"))
        .anyMatch(
            note ->
                note.contains("refused.line, column code")
                    && note.contains("only in trailing spaces (unique index once)")
                    && note.contains("a second NULL (unique index once)"));
    assertThat(problems(task("refused", "{TargetTablePrepMode: DROP_AND_CREATE}")))
        .anyMatch(
            problem -> problem.contains("a target of type db2 has no tables that a load makes"));
    assertThatThrownBy(
            () -> task("refused", "{TargetTablePrepMode: DO_NOTHING}").fallback("back").config())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("section fallback");
  }

  private static List<String> problems(TaskFolder task) throws Exception {
    return TaskChecks.of(task.config()).findings().problems().stream()
        .map(Problem::toString)
        .toList();
  }

  /** Two hundred rows in each table of the source, and tables without rows on the target. */
  private static void create(String schema) throws SQLException {
    onSource(
        "CREATE SCHEMA " + schema,
        "SET search_path TO " + schema,
        "CREATE TABLE customer (id bigint PRIMARY KEY, code varchar(20) UNIQUE, note text,"
            + " balance numeric(12,2), ratio double precision, born date, at timestamp,"
            + " active boolean, picture bytea, ticket uuid)",
        "CREATE TABLE line (orders bigint, no smallint, code varchar(20), PRIMARY KEY (orders, no))",
        "INSERT INTO customer SELECT i, 'c' || i, CASE WHEN i % 3 > 0 THEN 'é  ' || i END,"
            + " i / 100.0, i / 7.0, date '2000-01-01' + i, timestamp '2020-06-01 12:00:00.123456'"
            + " + i * interval '1 hour', i % 2 = 0, decode(lpad(to_hex(i), 4, '0'), 'hex'),"
            + " md5(i::text)::uuid FROM generate_series(1, 200) i",
        "INSERT INTO line SELECT i, i % 5, 'l' || i FROM generate_series(1, 200) i");
    onTarget(
        "CREATE SCHEMA \"%s\"".formatted(schema),
        "CREATE TABLE \"%s\".\"customer\" (\"id\" BIGINT NOT NULL PRIMARY KEY, \"code\" VARCHAR(80)"
                .formatted(schema)
            + " UNIQUE, \"note\" VARCHAR(4000), \"balance\" DECIMAL(12,2), \"ratio\" DOUBLE,"
            + " \"born\" DATE, \"at\" TIMESTAMP, \"active\" SMALLINT, \"picture\" VARCHAR(100) FOR"
            + " BIT DATA, \"ticket\" CHAR(36))",
        "CREATE TABLE \"%s\".\"line\" (\"orders\" BIGINT NOT NULL, \"no\" SMALLINT NOT NULL,"
                .formatted(schema)
            + " \"code\" VARCHAR(80), PRIMARY KEY (\"orders\", \"no\"))");
  }

  private static void insert(int id) throws SQLException {
    onSource("INSERT INTO shop.customer (id, code) VALUES (%d, 'new %d')".formatted(id, id));
  }

  /** In three transactions, in which rows exchange unique values and keys change. */
  private static void change(int factor) throws SQLException {
    onSource(
        "UPDATE shop.customer SET note = note || ' ', balance = balance * -%d, picture = NULL WHERE id %% %d = 0"
            .formatted(factor, factor),
        "UPDATE shop.customer SET code = NULL WHERE id = %d".formatted(factor),
        "UPDATE shop.customer SET code = 'c%1$d' WHERE id = 1 AND code <> 'c%1$d'"
            .formatted(factor),
        "DELETE FROM shop.line WHERE orders %% 7 = %d".formatted(factor),
        "UPDATE shop.line SET orders = orders + 1000 WHERE orders %% 11 = %d".formatted(factor));
  }

  private static String count(String schema) {
    return "SELECT COUNT(*) FROM \"%s\".\"customer\" WITH UR".formatted(schema);
  }

  private static void requireEqual(String schema) throws SQLException {
    SIDES.requireEqual("postgres", schema, TABLES);
  }

  private TaskFolder task(String schema, String load) throws Exception {
    return SIDES.task(
        folder,
        schema,
        "postgres",
        schema,
        "{FullLoadSettings: %s, ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE, DataErrorPolicy: SUSPEND_TABLE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
            .formatted(load));
  }

  private static List<String> onSource(String... statements) throws SQLException {
    return SIDES.onSource("postgres", statements);
  }

  private static List<String> onTarget(String... statements) throws SQLException {
    return SIDES.onTarget(statements);
  }
}
