package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.api.source.writers.WriterStop.Request;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

/** Tables that wait, and then refuse every writer, on both versions. */
class MovedTablesTest {
  private static final String[] TABLES = {
    "CREATE TABLE plain (id int, name text)",
    "INSERT INTO plain SELECT n, 'a' FROM generate_series(1, 100) n",
    "CREATE TABLE parted (id int) PARTITION BY RANGE (id)",
    "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)",
    "CREATE TABLE high PARTITION OF parted FOR VALUES FROM (10) TO (20) PARTITION BY LIST (id)",
    "CREATE TABLE high_any PARTITION OF high DEFAULT",
    "INSERT INTO parted SELECT generate_series(0, 19)",
    "CREATE TABLE parent (id int)",
    "CREATE TABLE child (more int) INHERITS (parent)",
    "CREATE VIEW shown AS SELECT * FROM plain",
    "CREATE FUNCTION writes() RETURNS void LANGUAGE sql AS 'DELETE FROM plain'",
  };

  /** An application, with what it does before, and what it writes then. */
  private record Application(String before, WritersFixture.Write write) {
    private Application(String before, String sql) {
      this(before, connection -> execute(connection, sql));
    }

    private Application(String sql) {
      this("SELECT 1", sql);
    }
  }

  private static Map<String, Application> applications() {
    Map<String, Application> all = new LinkedHashMap<>();
    all.put("insert", new Application("INSERT INTO plain VALUES (1000)"));
    all.put("update", new Application("UPDATE plain SET name = 'b' WHERE id = 1"));
    all.put("update of no row", new Application("UPDATE plain SET name = 'b' WHERE false"));
    all.put("delete", new Application("DELETE FROM plain WHERE id = 1"));
    all.put(
        "merge",
        new Application(
            "MERGE INTO plain p USING (VALUES (1)) v (id) ON v.id = p.id"
                + " WHEN MATCHED THEN UPDATE SET name = 'c' WHEN NOT MATCHED THEN INSERT VALUES (7)"));
    all.put("copy", new Application("SELECT 1", MovedTablesTest::copy));
    all.put("view", new Application("INSERT INTO shown VALUES (1000)"));
    all.put("function", new Application("SELECT writes()"));
    all.put(
        "prepared",
        new Application(
            "PREPARE known AS INSERT INTO plain VALUES ($1); EXECUTE known (100); EXECUTE known (100);"
                + " EXECUTE known (100); EXECUTE known (100); EXECUTE known (100); EXECUTE known (100)",
            "EXECUTE known (100)"));
    all.put(
        "old snapshot",
        new Application(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class",
            "UPDATE plain SET name = 'd'; COMMIT"));
    all.put(
        "replica role",
        new Application(
            "SET session_replication_role = replica", "INSERT INTO plain VALUES (1000)"));
    all.put("root", new Application("INSERT INTO parted VALUES (5)"));
    all.put("leaf", new Application("INSERT INTO low VALUES (5)"));
    all.put("lower leaf", new Application("DELETE FROM high_any"));
    all.put("root in between", new Application("UPDATE high SET id = 15"));
    all.put("parent", new Application("INSERT INTO parent VALUES (1)"));
    all.put("child", new Application("INSERT INTO child VALUES (1)"));
    all.put(
        "leaf in replica role",
        new Application("SET session_replication_role = replica", "INSERT INTO low VALUES (5)"));
    all.put("truncate a leaf", new Application("TRUNCATE low"));
    all.put("truncate", new Application("TRUNCATE plain"));
    return all;
  }

  private static void copy(Connection connection) throws SQLException {
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY plain FROM STDIN",
              new ByteArrayInputStream("1000\tx\n".getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "OLDER"})
  void writersWaitAndAreRefusedThen(PostgresVersion version) throws Exception {
    try (WritersFixture source = new WritersFixture(WritersFixture.server(version), TABLES)) {
      Map<String, Application> applications = applications();
      Map<String, CompletableFuture<SQLException>> results = new LinkedHashMap<>();
      List<Connection> sessions = new ArrayList<>();
      for (Application application : applications.values()) {
        Connection session = source.connect();
        execute(session, application.before());
        sessions.add(session);
      }
      String rows = source.text("SELECT sum(id)::text || max(name) FROM plain");
      try (StoppedWriters stopped = source.stop("parent", "plain", "parted")) {
        int waiting = 0;
        for (String name : applications.keySet()) {
          if (name.equals("truncate a leaf")) {
            // Readers queue behind those who wait to exclude them.
            assertThat(source.text("SELECT count(*) FROM plain")).isNotNull();
            assertThat(source.text("SELECT count(*) FROM parted")).isEqualTo("20");
            assertThat(source.text("SELECT count(*) FROM (SELECT FROM plain FOR SHARE) locked"))
                .isNotNull();
          }
          Connection session = sessions.get(waiting++);
          results.put(
              name,
              source.async(
                  ignored -> {
                    try (session) {
                      applications.get(name).write().run(session);
                    }
                  }));
          source.awaitWaiting(waiting);
        }
        stopped.prepareMove(MOVED_TO);
        assertThat(results.values()).noneMatch(CompletableFuture::isDone);
        stopped.decide();
      }
      for (Map.Entry<String, CompletableFuture<SQLException>> waited : results.entrySet()) {
        SQLException error = result(waited.getValue());
        assertThat((Throwable) error).as(waited.getKey()).isNotNull();
        source.assertRefused(error);
      }
      // So are those who come later.
      for (Application application : applications.values()) {
        if (!application.before().startsWith("PREPARE")) {
          source.assertRefused(
              result(
                  source.async(
                      session -> {
                        execute(session, application.before());
                        application.write().run(session);
                      })));
        }
      }
      assertThat(source.text("SELECT sum(id)::text || max(name) FROM plain")).isEqualTo(rows);
      assertThat(source.text("SELECT count(*) FROM parted")).isEqualTo("20");
      assertThat(source.opened()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "OLDER"})
  void partitionsThatComeLaterRefuseWritersToo(PostgresVersion version) throws Exception {
    try (WritersFixture source = new WritersFixture(WritersFixture.server(version), TABLES)) {
      source.move("parted");
      source.execute("CREATE TABLE later PARTITION OF parted FOR VALUES FROM (20) TO (30)");
      source.alterClosed(
          "CREATE TABLE attached (id int)",
          "ALTER TABLE parted ATTACH PARTITION attached FOR VALUES FROM (30) TO (40)");
      for (String sql :
          List.of(
              "INSERT INTO parted VALUES (25)",
              "INSERT INTO later VALUES (25)",
              "INSERT INTO attached VALUES (35)",
              "SET session_replication_role = replica; INSERT INTO later VALUES (25)")) {
        source.assertRefused(result(source.async(sql)));
      }
      assertThat(source.opened()).isEmpty();
      assertThat((Throwable) result(source.async("INSERT INTO plain VALUES (1)"))).isNull();
    }
  }

  @Test
  void tablesWithAnyNameAreClosed() throws Exception {
    String schema = "My \"own\" %s $1 Schema";
    String quoted = "\"My \"\"own\"\" %s $1 Schema\"";
    try (WritersFixture source =
        new WritersFixture(
            "CREATE SCHEMA " + quoted,
            "CREATE TABLE " + quoted + ".\"a.b 'c' \\ {d}\" (id int) PARTITION BY LIST (id)",
            "CREATE TABLE "
                + quoted
                + ".\"select\" PARTITION OF "
                + quoted
                + ".\"a.b 'c' \\ {d}\" DEFAULT")) {
      var table = new TableId(schema, "a.b 'c' \\ {d}");
      var request =
          new Request(
              source.cutover, List.of(table), WritersFixture.PATIENCE, WritersFixture.PATIENCE);
      String movedTo = "o'brien's \"host\" $tables %s \\ {x} $$";
      try (StoppedWriters stopped = source.writers().stop(request)) {
        assertThat(stopped.tables()).containsExactly(table, new TableId(schema, "select"));
        stopped.prepareMove(movedTo);
        stopped.decide();
      }
      SQLException error = result(source.async("INSERT INTO " + quoted + ".\"select\" VALUES (1)"));
      assertThat((Throwable) error).hasMessageContaining("was moved to " + movedTo + " on ");
      source.execute(
          "DROP TRIGGER \"!sluice_moved\" ON " + quoted + ".\"a.b 'c' \\ {d}\"",
          "DROP TRIGGER \"!sluice_moved_rows\" ON " + quoted + ".\"a.b 'c' \\ {d}\"");
      String fixes =
          source.opened().stream()
              .map(problem -> problem.fix().replace("Run on the source: ", ""))
              .map(fix -> fix.replace(". Copy by hand what was written meanwhile", ""))
              .reduce("", (one, other) -> one + other + ";");
      source.execute(fixes);
      assertThat(source.opened()).isEmpty();
      error = result(source.async("INSERT INTO " + quoted + ".\"select\" VALUES (1)"));
      assertThat((Throwable) error).hasMessageContaining("was moved to " + movedTo + " on ");
      var whose = new WriterStop.Whose(movedTo, table::equals);
      assertThat(source.writers().reopen(whose).opened()).hasSize(2);
      assertThat(source.isUntouched()).isTrue();
    }
  }
}
