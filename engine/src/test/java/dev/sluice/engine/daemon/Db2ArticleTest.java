package dev.sluice.engine.daemon;

import static dev.sluice.engine.check.CheckedTask.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.FreePort;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.ToDb2;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The task settings and table mappings of AWS's article on a migration to Db2, as they stand there,
 * drive a task from PostgreSQL to a server of Derby. The tables are those of TPC-C.
 */
@ExtendWith(SharedBroker.class)
class Db2ArticleTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Name, columns on the source, columns on the target, and the names of the key. */
  private static final String[][] TABLES = {
    {
      "WAREHOUSE",
      "W_ID int, W_NAME varchar(10), W_YTD numeric(12,2)",
      "W_ID INTEGER NOT NULL, W_NAME VARCHAR(40), W_YTD DECIMAL(12,2)",
      "W_ID"
    },
    {
      "DISTRICT",
      "D_W_ID int, D_ID int, D_NEXT_O_ID int",
      "D_W_ID INTEGER NOT NULL, D_ID INTEGER NOT NULL, D_NEXT_O_ID INTEGER",
      "D_W_ID, D_ID"
    },
    {
      "CUSTOMER",
      "C_W_ID int, C_D_ID int, C_ID int, C_BALANCE numeric(12,2), C_DATA varchar(500)",
      "C_W_ID INTEGER NOT NULL, C_D_ID INTEGER NOT NULL, C_ID INTEGER NOT NULL, C_BALANCE"
          + " DECIMAL(12,2), C_DATA VARCHAR(2000)",
      "C_W_ID, C_D_ID, C_ID"
    },
    {
      "HISTORY",
      "H_ID bigint, H_C_ID int, H_DATE timestamp, H_AMOUNT numeric(6,2)",
      "H_ID BIGINT NOT NULL, H_C_ID INTEGER, H_DATE TIMESTAMP, H_AMOUNT DECIMAL(6,2)",
      "H_ID"
    },
    {
      "ORDERS",
      "O_W_ID int, O_D_ID int, O_ID int, O_C_ID int, O_ENTRY_D timestamp",
      "O_W_ID INTEGER NOT NULL, O_D_ID INTEGER NOT NULL, O_ID INTEGER NOT NULL, O_C_ID INTEGER,"
          + " O_ENTRY_D TIMESTAMP",
      "O_W_ID, O_D_ID, O_ID"
    },
    {
      "NEW_ORDER",
      "NO_W_ID int, NO_D_ID int, NO_O_ID int",
      "NO_W_ID INTEGER NOT NULL, NO_D_ID INTEGER NOT NULL, NO_O_ID INTEGER NOT NULL",
      "NO_W_ID, NO_D_ID, NO_O_ID"
    },
    {
      "ORDER_LINE",
      "OL_W_ID int, OL_D_ID int, OL_O_ID int, OL_NUMBER int, OL_AMOUNT numeric(6,2)",
      "OL_W_ID INTEGER NOT NULL, OL_D_ID INTEGER NOT NULL, OL_O_ID INTEGER NOT NULL, OL_NUMBER"
          + " INTEGER NOT NULL, OL_AMOUNT DECIMAL(6,2)",
      "OL_W_ID, OL_D_ID, OL_O_ID, OL_NUMBER"
    },
    {
      "ITEM",
      "I_ID int, I_NAME varchar(24), I_PRICE numeric(5,2)",
      "I_ID INTEGER NOT NULL, I_NAME VARCHAR(96), I_PRICE DECIMAL(5,2)",
      "I_ID"
    },
    {
      "STOCK",
      "S_W_ID int, S_I_ID int, S_QUANTITY int",
      "S_W_ID INTEGER NOT NULL, S_I_ID INTEGER NOT NULL, S_QUANTITY INTEGER",
      "S_W_ID, S_I_ID"
    }
  };

  private static final List<String> NAMES = List.of(TABLES).stream().map(each -> each[0]).toList();

  @RegisterExtension static final ToDb2 SIDES = new ToDb2();

  @TempDir Path folder;

  @Test
  void theArticlesSettingsDriveALoadAndChangesThroughAKillOfTheDaemon() throws Exception {
    create();
    Path file = write(1);
    assertThat(problems(TaskFile.read(file)))
        .as("TPC-C has no key there")
        .allMatch(problem -> problem.contains("RDSDB.HISTORY"))
        .anyMatch(problem -> problem.contains("gets rows without a key"));
    onSource("ALTER TABLE \"RDSDB\".\"HISTORY\" ADD PRIMARY KEY (\"H_ID\")");
    onTarget("ALTER TABLE \"RDSDB\".\"HISTORY\" ADD PRIMARY KEY (\"H_ID\")");
    assertThat(TaskChecks.of(TaskFile.read(file)).findings().problems()).isEmpty();

    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    Thread sells = new Thread(() -> sell(ended, failure), "sells");
    sells.start();
    try {
      killWhileChangesAreApplied(file);
      TaskConfig further = TaskFile.read(write(2));
      try (RunningDaemon running = RunningDaemon.replicating(further)) {
        assertThat(running.setting("BatchSplitSize").value()).contains("18000");
        running.awaitApplied();
        ended.set(true);
        sells.join();
        assertThat(failure.get()).isNull();
        running.awaitApplied();
        SIDES.requireEqual("postgres", "RDSDB", NAMES);
        Outcome compared = running.daemon().validate(List.of(), Optional.empty());
        assertThat(compared.ending()).as(compared.toString()).isEqualTo(Ending.DONE);
      }
    } finally {
      ended.set(true);
      sells.join();
    }
    assertThat(segments("ORDER_LINE")).as("ranges of the mappings").isEqualTo(4);
    assertThat(segments("CUSTOMER")).as("ranges of the mappings").isEqualTo(4);
    assertThat(segments("STOCK")).as("partitions").isEqualTo(3);
  }

  /** Once the load is done and a later row has arrived. */
  private static void killWhileChangesAreApplied(Path file) throws Exception {
    Process killed = ToDb2.daemon(file);
    try {
      awaitRow(
          killed,
          file,
          "SELECT 1 FROM \"sluice_control\".\"load_segment\" HAVING COUNT(*) = 17"
              + " AND SUM(CASE WHEN \"done\" THEN 0 ELSE 1 END) = 0");
      onSource("INSERT INTO \"RDSDB\".\"ORDERS\" VALUES (9, 9, 9, 9, NULL)");
      awaitRow(killed, file, "SELECT 1 FROM \"RDSDB\".\"ORDERS\" WHERE \"O_W_ID\" = 9");
    } finally {
      killed.destroyForcibly().waitFor();
    }
  }

  private static void awaitRow(Process daemon, Path file, String query) {
    await(query)
        .atMost(LONG)
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(
            () -> {
              assertThat(daemon.isAlive())
                  .as(() -> lastLines(file.resolveSibling("daemon.out")))
                  .isTrue();
              return !onTarget(query + " WITH UR").isEmpty();
            });
  }

  private static String lastLines(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void create() throws SQLException {
    onSource("CREATE SCHEMA \"RDSDB\"");
    onTarget("CREATE SCHEMA \"RDSDB\"");
    for (String[] table : TABLES) {
      String key =
          table[0].equals("HISTORY") ? "" : ", PRIMARY KEY (%s)".formatted(quoted(table[3]));
      onSource(
          "CREATE TABLE \"RDSDB\".\"%s\" (%s%s)%s"
              .formatted(
                  table[0],
                  quoted(table[1]),
                  key,
                  table[0].equals("STOCK") ? " PARTITION BY LIST (\"S_W_ID\")" : ""));
      onTarget("CREATE TABLE \"RDSDB\".\"%s\" (%s%s)".formatted(table[0], quoted(table[2]), key));
    }
    for (int warehouse = 1; warehouse <= 3; warehouse++) {
      onSource(
          "CREATE TABLE \"RDSDB\".\"STOCK_%1$d\" PARTITION OF \"RDSDB\".\"STOCK\" FOR VALUES IN (%1$d)"
              .formatted(warehouse));
    }
    onSource(
        "SET search_path TO \"RDSDB\"",
        "INSERT INTO \"WAREHOUSE\" SELECT w, 'w' || w, 0 FROM generate_series(1, 3) w",
        "INSERT INTO \"DISTRICT\" SELECT w, d, 3001 FROM generate_series(1, 3) w,"
            + " generate_series(1, 2) d",
        "INSERT INTO \"CUSTOMER\" SELECT w, 1, c, c / 100.0, repeat('d', c % 400)"
            + " FROM generate_series(1, 2) w, generate_series(1, 3000) c",
        "INSERT INTO \"HISTORY\" SELECT h, h, timestamp '2023-09-27 03:56:00.25', 10"
            + " FROM generate_series(1, 500) h",
        "INSERT INTO \"ORDERS\" SELECT 1, 1, o, o % 3000 + 1, timestamp '2023-09-27 03:56:00'"
            + " FROM generate_series(1, 3000) o",
        "INSERT INTO \"NEW_ORDER\" SELECT 1, 1, o FROM generate_series(2101, 3000) o",
        "INSERT INTO \"ORDER_LINE\" SELECT 1, 1, o, n, n * 1.5 FROM generate_series(1, 3000) o,"
            + " generate_series(1, 3) n",
        "INSERT INTO \"ITEM\" SELECT i, 'item ' || i, i % 100 FROM generate_series(1, 1000) i",
        "INSERT INTO \"STOCK\" SELECT w, i, 50 FROM generate_series(1, 3) w,"
            + " generate_series(1, 1000) i");
  }

  /** Words in upper case that are names stay so: each first word of a column, and each key. */
  private static String quoted(String columns) {
    return columns.replaceAll("\\b([A-Z]{1,2}_[A-Z_]+)\\b", "\"$1\"");
  }

  /** Transactions of the workload: new orders, payments and deliveries. */
  private static void sell(AtomicBoolean ended, AtomicReference<Exception> failure) {
    try (Connection session = SIDES.source().connect("postgres");
        Statement statement = session.createStatement()) {
      session.setAutoCommit(false);
      statement.execute("SET search_path TO \"RDSDB\"");
      for (int i = 1; !ended.get(); i++) {
        int order = 100_000 + i;
        int customer = i % 3000 + 1;
        statement.execute(
            "UPDATE \"DISTRICT\" SET \"D_NEXT_O_ID\" = \"D_NEXT_O_ID\" + 1 WHERE \"D_W_ID\" = 1 AND \"D_ID\" = 1");
        statement.execute(
            "INSERT INTO \"ORDERS\" VALUES (1, 1, %d, %d, now()::timestamp)"
                .formatted(order, customer));
        statement.execute("INSERT INTO \"NEW_ORDER\" VALUES (1, 1, %d)".formatted(order));
        statement.execute(
            "INSERT INTO \"ORDER_LINE\" SELECT 1, 1, %d, n, n FROM generate_series(1, 5) n"
                .formatted(order));
        statement.execute(
            "UPDATE \"STOCK\" SET \"S_QUANTITY\" = \"S_QUANTITY\" - 1 WHERE \"S_W_ID\" = %d AND \"S_I_ID\" BETWEEN %d AND %d"
                .formatted(i % 3 + 1, i % 900, i % 900 + 4));
        session.commit();
        statement.execute(
            "UPDATE \"CUSTOMER\" SET \"C_BALANCE\" = \"C_BALANCE\" - 10, \"C_DATA\" = 'paid' || \"C_DATA\" WHERE \"C_ID\" = %d AND length(\"C_DATA\") < 490"
                .formatted(customer));
        statement.execute("UPDATE \"WAREHOUSE\" SET \"W_YTD\" = \"W_YTD\" + 10 WHERE \"W_ID\" = 1");
        statement.execute(
            "INSERT INTO \"HISTORY\" VALUES (%d, %d, now()::timestamp, 10)"
                .formatted(order, customer));
        session.commit();
        if (i % 10 == 0) {
          statement.execute(
              "DELETE FROM \"NEW_ORDER\" WHERE \"NO_O_ID\" < (SELECT min(\"NO_O_ID\") + 5 FROM \"NEW_ORDER\")");
          session.commit();
        }
        statement.execute("SELECT pg_sleep(0.05)");
      }
    } catch (SQLException e) {
      failure.set(e);
    }
  }

  private static int segments(String table) throws SQLException {
    return onTarget(
            "SELECT \"done\" FROM \"sluice_control\".\"load_segment\" WHERE \"source_table\" = '%s'"
                .formatted(table))
        .size();
  }

  /** Nothing but the endpoints and the folder is the test's. */
  private Path write(int run) throws IOException {
    Path file = folder.resolve("task.yaml");
    if (Files.exists(file)) {
      return Files.writeString(
          file, Files.readString(file).replace(resource("task-settings-1.json"), settings(run)));
    }
    return Files.writeString(
        file,
        """
        task: article
        migration-type: full-load-and-cdc
        source:
          type: postgresql
          url: postgresql://postgres@127.0.0.1:%d/postgres
        target:
          type: db2
          url: %s
        data-dir: %s
        http: 127.0.0.1:%d
        %stable-mappings: %s
        task-settings: %s
        """
            .formatted(
                SIDES.source().port(),
                SIDES.url(),
                folder.resolve("data"),
                FreePort.find(),
                SharedBroker.line("article"),
                resource("table-mappings.json"),
                settings(run)));
  }

  private static String settings(int run) throws IOException {
    return resource("task-settings-%d.json".formatted(run));
  }

  private static String resource(String name) throws IOException {
    try (var stream = Db2ArticleTest.class.getResourceAsStream("/db2/" + name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> onSource(String... statements) throws SQLException {
    return SIDES.onSource("postgres", statements);
  }

  private static List<String> onTarget(String... statements) throws SQLException {
    return SIDES.onTarget(statements);
  }
}
