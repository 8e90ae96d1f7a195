package dev.sluice.connect;

import static dev.sluice.connect.ConnectWorker.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real workers with the packed plugin: Debezium's connector of PostgreSQL on one side, MariaDB or
 * MySQL on the other, in each layout.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DebeziumToMariadbContract {
  /** By layout the connector and its database. */
  private static final Map<String, String> SINKS =
      Map.of("ordered", "ordered", "tables-with-transactions", "joined", "tables", "relaxed");

  private final String type;
  private final String collation;
  private final List<ConnectWorker> workers = new ArrayList<>();

  private Path directory;
  private EmbeddedServer server;
  private EmbeddedBroker broker;
  private EmbeddedPostgres postgres;
  private Connection source;
  private Path plugins;
  private ConnectWorker worker;

  /**
   * @param type of the target
   * @param collation of its tables, in which trailing spaces count
   */
  DebeziumToMariadbContract(String type, String collation) {
    this.type = type;
    this.collation = collation;
  }

  /** Starts the target's server, which ends with the test; skips it where there is none. */
  abstract EmbeddedServer open();

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    directory = folder;
    server = open();
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    postgres = EmbeddedPostgres.builder().setting("wal_level", "logical").start();
    postgres.createDatabase("source");
    source = postgres.connect("source");
    run(source, "SET TimeZone = 'UTC'", "CREATE SCHEMA shop", KINDS, ITEMS);
    try (Connection target = server.connect()) {
      for (String database : SINKS.values()) {
        run(
            target,
            "CREATE DATABASE %s CHARACTER SET utf8mb4 COLLATE %s".formatted(database, collation),
            "USE " + database,
            KINDS_ON_TARGET,
            ITEMS_ON_TARGET);
      }
    }
    DebeziumSource.makeTopic(broker, "shop.changes");
    plugins = PluginPath.in(directory);
    worker = newWorker();
  }

  @AfterAll
  void stop() throws Exception {
    workers.forEach(ConnectWorker::close);
    if (server != null) {
      source.close();
      postgres.close();
      broker.close();
      server.close();
    }
  }

  private static final String KINDS =
      """
      CREATE TABLE shop.kinds (
        id int PRIMARY KEY, small smallint, big bigint, real4 real, real8 double precision,
        price numeric(12,2), free numeric, yes boolean, one bit(1), day date, clock time,
        stamp timestamp, zoned timestamptz, span interval, hours timetz, bytes bytea,
        letters char(5), words varchar(20), doc json, docb jsonb, tree xml, ident uuid,
        numbers int[], texts text[], prices numeric(8,2)[], place point, net inet, mac macaddr,
        bounds int4range, lex tsvector)
      """;

  /** As the pages of both as a target say. */
  private static final String KINDS_ON_TARGET =
      """
      CREATE TABLE kinds (
        id int PRIMARY KEY, small smallint, big bigint, real4 float, real8 double,
        price decimal(12,2), free longtext, yes tinyint(1), one bit(1), day date, clock time(6),
        stamp datetime(6), zoned datetime(6), span longtext, hours longtext, bytes longblob,
        letters char(5), words varchar(20), doc longtext, docb longtext, tree longtext,
        ident char(36), numbers longtext, texts longtext, prices longtext, place longtext,
        net longtext, mac longtext, bounds longtext, lex longtext)
      """;

  private static final String ITEMS =
      "CREATE TABLE shop.items (id int PRIMARY KEY, code int UNIQUE, body text)";
  private static final String ITEMS_ON_TARGET =
      "CREATE TABLE items (id int PRIMARY KEY, code int UNIQUE, body longtext)";

  private static final String OF_SOURCE =
      """
      SELECT id, small, big, real4::float8, real8, price, free, yes::int, one::text, day,
        to_char(clock, 'HH24:MI:SS.US'), to_char(stamp, 'YYYY-MM-DD HH24:MI:SS.US'),
        to_char(zoned, 'YYYY-MM-DD HH24:MI:SS.US'), span::text, hours::text, encode(bytes, 'hex'),
        rtrim(letters), words, doc::text, docb::text, tree::text, ident::text, numbers::text,
        texts::text, prices::text, place::text, net, mac::text, bounds::text, lex::text
      FROM shop.kinds ORDER BY id
      """;

  private static final String OF_TARGET =
      """
      SELECT id, small, big, real4, real8, price, free, yes, BIN(one), day, CAST(clock AS CHAR),
        CAST(stamp AS CHAR), CAST(zoned AS CHAR), span, hours, LOWER(HEX(bytes)), letters, words,
        doc, docb, tree, ident, numbers, texts, prices, place, net, mac, bounds, lex
      FROM %s.kinds ORDER BY id
      """;

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void everyTypeArrivesInEachLayoutWhileAWorkerIsKilled() throws Exception {
    run(
        source,
        """
        INSERT INTO shop.kinds VALUES
         (1, -32768, 9223372036854775807, 1.1, 0.1, 12.30, 123456789012345678901234567890.12345,
          true, B'1', '2024-02-29', '23:59:59.999999', '2024-02-29 12:34:56.123456',
          '2024-02-29 12:34:56.123456+02', '1 year 2 mons 3 days 04:05:06.000007', '10:00:00+00',
          '\\x00ff10', 'ab', 'tab\t"q" \\ back', '{"a": 1.0}', '{"b": [1, null]}', '<a>1</a>',
          'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,NULL,-3}',
          '{a,NULL,"with \\"quotes\\" and \\\\"}', '{1.50,NULL}', '(1.5,-2)', '10.0.0.1/8',
          '08:00:2b:01:02:03', '[1,5)', 'a b c')
        """,
        "INSERT INTO shop.kinds (id) VALUES (2)");
    work(1, 30);
    make();
    await().until(() -> worker.isRunning("ordered"));
    run(
        source,
        """
        INSERT INTO shop.kinds VALUES
         (3, 0, 0, -1.5e-7, 1e300, -0.01, 0.00000001, false, B'0', '0001-01-01', '00:00',
          '0001-01-01 00:00', '1970-01-01 00:00:01+00', '-1 mons +2 days', '23:59:59.5+00', '', '',
          '', 'null', '""', '', '00000000-0000-0000-0000-000000000000', '{}', '{"",NULL}', '{}',
          '(0,0)', '::1', 'ff:ff:ff:ff:ff:ff', 'empty', '')
        """,
        "UPDATE shop.kinds SET words = 'äöü €', yes = NOT yes, clock = '12:00' WHERE id = 1");
    work(31, 60);
    awaitSame();
    work(61, 90);
    worker.kill();
    work(91, 120);
    run(source, "DELETE FROM shop.kinds WHERE id = 2", "UPDATE shop.kinds SET id = 7 WHERE id = 3");
    worker = newWorker();
    awaitSame();
    run(source, "TRUNCATE shop.items");
    work(121, 130);
    awaitSame();
  }

  /** Transactions with inserted, updated and deleted rows, a new key and a wide value. */
  private void work(int from, int to) throws SQLException {
    for (int id = from; id <= to; id++) {
      source.setAutoCommit(false);
      run(
          source,
          "INSERT INTO shop.items SELECT %1$d, %1$d, string_agg(md5((%1$d + i)::text), '') FROM generate_series(1, 100) i"
              .formatted(id),
          "UPDATE shop.items SET code = code + 100000 WHERE id = " + (id - 1),
          "DELETE FROM shop.items WHERE id = " + (id - 7),
          "UPDATE shop.items SET id = -id WHERE id = " + (id - 4) + " AND id % 3 = 0");
      source.commit();
      source.setAutoCommit(true);
    }
  }

  private void awaitSame() throws SQLException {
    List<String> kinds = rows(source, OF_SOURCE);
    List<String> items = rows(source, "SELECT id, code, body FROM shop.items ORDER BY id");
    assertThat(kinds).isNotEmpty();
    for (String database : SINKS.values()) {
      await()
          .untilAsserted(
              () -> {
                worker.isRunning(database);
                try (Connection target = server.connect()) {
                  assertThat(rows(target, OF_TARGET.formatted(database)))
                      .as(database)
                      .isEqualTo(kinds);
                  assertThat(
                          rows(
                              target,
                              "SELECT id, code, body FROM %s.items ORDER BY id"
                                  .formatted(database)))
                      .as(database)
                      .isEqualTo(items);
                }
              });
    }
  }

  private static List<String> rows(Connection session, String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      int columns = row.getMetaData().getColumnCount();
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          String name = row.getMetaData().getColumnLabel(column);
          // Both servers print other digits of the same number.
          boolean floating = name.startsWith("real");
          values.add(
              floating && row.getObject(column) != null
                  ? Float.toString((float) row.getDouble(column))
                  : row.getString(column));
        }
        rows.add(values.toString());
      }
    }
    return rows;
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private ConnectWorker newWorker() throws IOException {
    ConnectWorker started = ConnectWorker.ready(broker, plugins, directory);
    workers.add(started);
    return started;
  }

  private void make() {
    Map<String, String> routed = DebeziumSource.ofShop(postgres, "shop");
    DebeziumSource.route(routed, "shop.changes");
    worker.make("shop-source", routed);
    Map<String, String> apart = DebeziumSource.ofShop(postgres, SluiceSink.APART);
    DebeziumSource.apart(apart);
    worker.make("apart-source", apart);
    SINKS.forEach((layout, name) -> worker.make(name, sink(layout, name)));
  }

  private Map<String, String> sink(String layout, String name) {
    String url = "%s://root@127.0.0.1:%d/%s".formatted(type, server.port(), name);
    Map<String, String> config = SluiceSink.of(broker, directory, name, url);
    config.put("target.type", type);
    config.put("target.schema", name);
    if (layout.equals("ordered")) {
      SluiceSink.readOne(config, "shop.changes");
    } else {
      SluiceSink.readApart(config, layout);
    }
    return config;
  }
}
