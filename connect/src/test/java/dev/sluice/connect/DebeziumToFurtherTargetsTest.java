package dev.sluice.connect;

import static dev.sluice.connect.ConnectWorker.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real worker with the packed plugin and IBM's driver in its folder: from one connector of
 * Debezium to Db2, which a Derby server stands in for, and to YugabyteDB, for which a PostgreSQL
 * server behind the strict proxy does.
 */
final class DebeziumToFurtherTargetsTest {
  private static final List<String> TABLES = List.of("kinds", "items");
  private static final List<String> SINKS = List.of("to-db2", "to-yugabytedb");
  private static final String CHANGES = "shop.changes";
  private static final long SEED = 29;

  private static final String ITEMS =
      "CREATE TABLE shop.items (id int PRIMARY KEY, code int UNIQUE, body text)";

  private static final String KINDS =
      """
      CREATE TABLE shop.kinds (
        id int PRIMARY KEY, small smallint, big bigint, wide double precision, price numeric(12,2),
        yes boolean, day date, stamp timestamp, bytes bytea, letters char(5), words varchar(20),
        doc json, ident uuid, numbers int[])
      """;

  private static final String[] ON_DB2 = {
    "CREATE SCHEMA \"shop\"",
    "CREATE TABLE \"shop\".\"items\" (\"id\" INTEGER NOT NULL PRIMARY KEY, \"code\" INTEGER UNIQUE,"
        + " \"body\" VARCHAR(4000))",
    """
    CREATE TABLE "shop"."kinds" (
      "id" INTEGER NOT NULL PRIMARY KEY, "small" SMALLINT, "big" BIGINT, "wide" DOUBLE,
      "price" DECIMAL(12,2), "yes" SMALLINT, "day" DATE, "stamp" TIMESTAMP,
      "bytes" VARCHAR(100) FOR BIT DATA, "letters" CHAR(5), "words" VARCHAR(80),
      "doc" VARCHAR(400), "ident" CHAR(36), "numbers" VARCHAR(400))
    """
  };

  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static EmbeddedPostgres postgres;
  private static StrictProxy proxy;
  private static EmbeddedDerby derby;
  private static Connection source;
  private static Path plugins;
  private static ConnectWorker worker;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    postgres = EmbeddedPostgres.builder().setting("wal_level", "logical").start();
    proxy = new StrictProxy(postgres.port(), SEED);
    derby = EmbeddedDerby.start();
    for (String database : List.of("source", "yugabyte")) {
      postgres.createDatabase(database);
      try (Connection session = postgres.connect(database)) {
        run(session, "CREATE SCHEMA shop", KINDS, ITEMS);
      }
    }
    source = postgres.connect("source");
    try (Connection target = connect("to-db2")) {
      run(target, ON_DB2);
    }
    DebeziumSource.makeTopic(broker, CHANGES);
    plugins = PluginPath.in(directory, List.of("jcc"));
    worker = ConnectWorker.ready(broker, plugins, directory);
  }

  @AfterAll
  static void stop() throws Exception {
    worker.close();
    source.close();
    derby.close();
    proxy.close();
    postgres.close();
    broker.close();
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void theRowsAreThoseOfTheSourceBehindAKillOfTheWorker() throws Exception {
    run(
        source,
        """
        INSERT INTO shop.kinds VALUES
         (1, -32768, 9223372036854775807, 0.1, 12.30, true, '2024-02-29',
          '2024-02-29 12:34:56.123456', '\\x00ff10', 'ab', 'blanks  ', '{"a": 1.0}',
          'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,NULL,-3}'),
         (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
        """);
    work(1, 10);
    Map<String, String> changes = DebeziumSource.ofShop(postgres, "shop");
    DebeziumSource.route(changes, CHANGES);
    worker.make("shop-source", changes);
    SINKS.forEach(name -> worker.make(name, sink(name)));
    awaitSame();
    work(11, 20);
    worker.kill();
    work(21, 30);
    run(
        source,
        "UPDATE shop.kinds SET words = 'äöü €', yes = NOT yes, price = -0.01 WHERE id = 1",
        "UPDATE shop.kinds SET id = 3 WHERE id = 2");
    worker = ConnectWorker.ready(broker, plugins, directory);
    awaitSame();
    run(source, "TRUNCATE shop.items");
    work(31, 35);
    awaitSame();
  }

  /** Transactions with inserted, updated and deleted rows, and changed keys. */
  private static void work(int from, int to) throws SQLException {
    for (int id = from; id <= to; id++) {
      source.setAutoCommit(false);
      run(
          source,
          "INSERT INTO shop.items VALUES (%1$d, %1$d, repeat('x', 3000))".formatted(id),
          "UPDATE shop.items SET code = -code WHERE id = " + (id - 1),
          "DELETE FROM shop.items WHERE id = " + (id - 7),
          "UPDATE shop.items SET id = -id WHERE id = " + (id - 4) + " AND id % 3 = 0");
      source.commit();
      source.setAutoCommit(true);
    }
  }

  private static void awaitSame() throws SQLException {
    List<String> expected = rows(source);
    assertThat(expected).hasSizeGreaterThan(5);
    for (String name : SINKS) {
      await()
          .untilAsserted(
              () -> {
                worker.isRunning(name);
                try (Connection target = connect(name)) {
                  assertThat(rows(target)).as(name).isEqualTo(expected);
                }
              });
    }
  }

  private static Connection connect(String sink) throws SQLException {
    return sink.equals("to-db2")
        ? DriverManager.getConnection(
            "jdbc:db2://127.0.0.1:%d/%s:securityMechanism=3;"
                .formatted(derby.port(), EmbeddedDerby.DATABASE),
            "app",
            "app")
        : postgres.connect("yugabyte");
  }

  /** Every row of every table. */
  private static List<String> rows(Connection session) throws SQLException {
    List<String> rows = new ArrayList<>();
    for (String table : TABLES) {
      try (Statement statement = session.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT * FROM \"shop\".\"%s\" ORDER BY \"id\"".formatted(table))) {
        while (row.next()) {
          List<String> values = new ArrayList<>();
          for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
            values.add(text(row.getObject(i)));
          }
          rows.add(table + values);
        }
      }
    }
    return rows;
  }

  /** The same for values of all servers that are equal. */
  private static String text(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof BigDecimal number) {
      return number.toPlainString();
    }
    if (value instanceof Timestamp time) {
      return time.toLocalDateTime().toString();
    }
    if (value instanceof Boolean truth) {
      return truth ? "1" : "0";
    }
    return String.valueOf(value);
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static Map<String, String> sink(String name) {
    boolean db2 = name.equals("to-db2");
    String url =
        db2
            ? "db2://app@127.0.0.1:%d/%s?securityMechanism=3"
                .formatted(derby.port(), EmbeddedDerby.DATABASE)
            : "yugabytedb://postgres@127.0.0.1:%d/yugabyte".formatted(proxy.port());
    Map<String, String> config = SluiceSink.of(broker, directory, name, url);
    config.put("target.type", db2 ? "db2" : "yugabytedb");
    SluiceSink.readOne(config, CHANGES);
    return config;
  }
}
