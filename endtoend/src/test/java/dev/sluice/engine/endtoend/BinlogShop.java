package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A small shop in a database of MariaDB or MySQL, with the queries that print its rows alike on
 * both sides.
 */
final class BinlogShop {
  static final String DATABASE = "shop";
  static final String USER = "sluice";
  static final String PASSWORD = "of-the-test";

  private static final List<String> TABLES =
      List.of(
          """
          CREATE TABLE customer (id int unsigned AUTO_INCREMENT PRIMARY KEY,
            name varchar(60) NOT NULL, email varchar(80),
            balance decimal(12,2) NOT NULL DEFAULT 0.00,
            level enum('basic','gold') NOT NULL DEFAULT 'basic',
            created timestamp(3) NOT NULL DEFAULT current_timestamp(3),
            photo varbinary(40), UNIQUE KEY email (email)) COMMENT 'people'
          """,
          """
          CREATE TABLE orders (id bigint AUTO_INCREMENT PRIMARY KEY, customer int unsigned NOT NULL,
            placed datetime(6) NOT NULL, note text, total double NOT NULL DEFAULT 0,
            weight float, FOREIGN KEY of_customer (customer) REFERENCES customer (id),
            KEY placed (placed), CHECK (total >= 0))
          """,
          """
          CREATE TABLE line (orders bigint, no smallint unsigned, product varchar(30) NOT NULL,
            qty mediumint NOT NULL, twice int AS (qty * 2) STORED,
            label varchar(80) AS (concat(product, ' of ', product)), half int AS (qty DIV 2), flags bit(9), j json, d date,
            t time(2), y year, big bigint unsigned, s set('a','b','c'), PRIMARY KEY (orders, no),
            FOREIGN KEY of_order (orders) REFERENCES orders (id))
          """,
          """
          CREATE TABLE setting (name varchar(40) CHARACTER SET latin1 COLLATE latin1_bin PRIMARY KEY,
            value longtext, changed timestamp NULL ON UPDATE current_timestamp)
          """,
          "CREATE TABLE counter (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, n int)");

  /** By table, the queries of the source and PostgreSQL. */
  private static final Map<String, List<String>> ROWS = new LinkedHashMap<>();

  static {
    ROWS.put(
        "customer",
        List.of(
            "SELECT id, name, email, CAST(balance AS CHAR), level,"
                + " date_format(created, '%Y-%m-%d %H:%i:%s.%f'), hex(photo) FROM customer",
            "SELECT id, name, email, balance::text, level, to_char(created AT TIME ZONE 'UTC',"
                + " 'YYYY-MM-DD HH24:MI:SS.US'), upper(encode(photo, 'hex')) FROM shop.customer"));
    ROWS.put(
        "orders",
        List.of(
            "SELECT id, customer, date_format(placed, '%Y-%m-%d %H:%i:%s.%f'), note,"
                + " round(total * 1000), round(CAST(weight AS DOUBLE) * 1000) FROM orders",
            "SELECT id, customer, to_char(placed, 'YYYY-MM-DD HH24:MI:SS.US'), note,"
                + " round(total * 1000), round(weight::float8 * 1000) FROM shop.orders"));
    ROWS.put(
        "line",
        List.of(
            "SELECT orders, no, product, qty, twice, label, half, lpad(bin(flags + 0), 9, '0'), j,"
                + " CAST(d AS CHAR), if(left(t, 1) = '-', -1, 1) * round((hour(t) * 3600"
                + " + minute(t) * 60 + second(t)) * 100 + microsecond(t) / 10000), y, big, s"
                + " FROM line",
            "SELECT orders, no, product, qty, twice, label, half, flags::text, j::text, d::text,"
                + " round(extract(epoch FROM t) * 100)::bigint, y, big, s FROM shop.line"));
    ROWS.put(
        "setting",
        List.of(
            "SELECT name, value, date_format(changed, '%Y-%m-%d %H:%i:%s') FROM setting",
            "SELECT name, value, to_char(changed AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
                + " FROM shop.setting"));
    ROWS.put("counter", List.of("SELECT id, n FROM counter", "SELECT id, n FROM shop.counter"));
  }

  private BinlogShop() {}

  /** Creates the database with rows, and the user of a task with the rights that it needs. */
  static void create(ShopServer kind, EmbeddedServer server) throws SQLException {
    server.createDatabase(DATABASE);
    try (Connection connection = server.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table);
      }
      statement.execute(
          "INSERT INTO customer (name, email, balance, photo) SELECT concat('customer ', seq),"
              + " concat(seq, '@example.org'), seq / 7, unhex(sha2(seq, 256)) FROM "
              + kind.numbers(3_000));
      statement.execute(
          "INSERT INTO orders (customer, placed, note, total, weight) SELECT 1 + seq % 3000,"
              + " '2024-01-01 00:00:00.000001' + INTERVAL seq SECOND, concat('note\\t', seq, '\\n'),"
              + " seq / 3, seq / 16 FROM "
              + kind.numbers(20_000));
      statement.execute(
          "INSERT INTO line (orders, no, product, qty, flags, j, d, t, y, big, s)"
              + " SELECT id, 1, 'tea', id % 100, id % 512,"
              + " json_object('id', id), '2024-02-29', '-12:34:56.78', 1901 + id % 200,"
              + " 18446744073709551615 - id, 'a,c' FROM orders");
      statement.execute(
          "INSERT INTO setting (name, value) SELECT concat('sétting ', seq), repeat('v', seq)"
              + " FROM "
              + kind.numbers(300));
      statement.execute("INSERT INTO counter (n) SELECT seq FROM " + kind.numbers(10));
      statement.execute("ANALYZE TABLE customer, orders, line, setting");
      kind.createUser(statement);
    }
  }

  /** Asserts that each table has the same rows on both sides. */
  static void assertEqual(EmbeddedServer source, Connection target) throws SQLException {
    assertEqual(source, target, 1);
  }

  /** The same with a target of MariaDB or MySQL. */
  static void assertEqual(EmbeddedServer source, EmbeddedServer target) throws SQLException {
    try (Connection to = target.connect(DATABASE);
        Statement utc = to.createStatement()) {
      utc.execute("SET time_zone = '+00:00'");
      assertEqual(source, to, 0);
    }
  }

  /**
   * @param query the index of the target's query
   */
  private static void assertEqual(EmbeddedServer source, Connection target, int query)
      throws SQLException {
    try (Connection from = source.connect(DATABASE);
        Statement utc = from.createStatement()) {
      utc.execute("SET time_zone = '+00:00'");
      for (Map.Entry<String, List<String>> table : ROWS.entrySet()) {
        List<String> expected = rows(from, table.getValue().get(0));
        List<String> found = rows(target, table.getValue().get(query));
        assertThat(expected).as("rows of %s on the source", table.getKey()).isNotEmpty();
        Set<String> missing = new TreeSet<>(expected);
        found.forEach(missing::remove);
        Set<String> extra = new TreeSet<>(found);
        expected.forEach(extra::remove);
        assertThat(missing).as("rows of %s that the target lacks", table.getKey()).isEmpty();
        assertThat(extra).as("rows of %s that only the target has", table.getKey()).isEmpty();
        // A row that is there twice is no row of the other set.
        assertThat(found).as("rows of %s", table.getKey()).hasSameSizeAs(expected);
      }
    }
  }

  /** The first column of a query. */
  static List<String> strings(Connection connection, String query) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private static List<String> rows(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      int columns = found.getMetaData().getColumnCount();
      List<String> rows = new ArrayList<>();
      while (found.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          row.append(found.getString(i)).append('|');
        }
        rows.add(row.toString());
      }
      return rows;
    }
  }
}
