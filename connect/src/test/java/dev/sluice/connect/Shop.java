package dev.sluice.connect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A source's tables and what its application does with them. Used by one thread. */
final class Shop {
  private static final List<String> TABLES = List.of("items", "audit", "orders", "lines", "kinds");

  private final Connection source;
  private final Random random = new Random(7);
  private int next = 1;
  private int statements;

  Shop(Connection source) {
    this.source = source;
  }

  /** The tables, on one side. */
  static void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA shop");
      statement.execute(
          """
          CREATE TABLE shop.items (
            id int PRIMARY KEY,
            code int UNIQUE DEFERRABLE INITIALLY DEFERRED,
            body text,
            state text DEFAULT 'new',
            price numeric(12,2) DEFAULT 1.50)
          """);
      statement.execute("CREATE TABLE shop.audit (what text, at bigint)");
      statement.execute("ALTER TABLE shop.audit REPLICA IDENTITY FULL");
      statement.execute("CREATE TABLE shop.orders (id int PRIMARY KEY, note text)");
      statement.execute(
          "CREATE TABLE shop.lines (id int PRIMARY KEY, order_id int REFERENCES shop.orders)");
      statement.execute(
          """
          CREATE TABLE shop.kinds (
            id int PRIMARY KEY, small smallint, big bigint, real4 real, real8 double precision,
            free numeric, cash money, yes boolean, one bit(1),
            day date, hour time, hours timetz, stamp timestamp, zoned timestamptz, span interval,
            bytes bytea, letters char(5), words varchar(20), doc json, docb jsonb, tree xml,
            ident uuid, numbers int[], texts text[], prices numeric(8,2)[], place point,
            net inet, mac macaddr, range int4range, lex tsvector)
          """);
    }
  }

  /** Values at the edges of their types. */
  void someOfEachKind() throws SQLException {
    run(
        """
        INSERT INTO shop.kinds VALUES
         (1, -32768, 9223372036854775807, 1.1, 0.1, 123456789012345678901234567890.12345, 12.34, true,
          B'1', '2024-02-29', '23:59:59.999999', '10:00:00+00', '2024-02-29 12:34:56.123456',
          '2024-02-29 12:34:56.123456+02', '1 year 2 mons 3 days 04:05:06.000007',
          '\\x00ff10', 'ab', 'tab\t"q" \\ back', '{"a": 1.0}', '{"b": [1, null]}', '<a>1</a>',
          'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,NULL,-3}', '{a,NULL,"with \\"quotes\\" and \\\\"}',
          '{1.50,NULL}', '(1.5,-2)', '10.0.0.1/8', '08:00:2b:01:02:03', '[1,5)', 'a b c'),
         (3, 0, 0, -1.5e-7, 1e300, 0.00000001, -0.01, false, B'0', '0001-01-01', '00:00',
          '23:59:59.5+00', '0044-03-15 01:02:03 BC', '1970-01-01 00:00+00', '-1 mons +2 days', '', '', '', 'null',
          '""', '', '00000000-0000-0000-0000-000000000000', '{}', '{"",NULL}', '{}', '(0,0)', '::1',
          'ff:ff:ff:ff:ff:ff', 'empty', '')
        """);
  }

  /** A row of NULLs alone. */
  void nulls() throws SQLException {
    run("INSERT INTO shop.kinds (id) VALUES (2)");
  }

  /** One transaction of the application. */
  void work() throws SQLException {
    source.setAutoCommit(false);
    try {
      int steps = 1 + random.nextInt(8);
      for (int step = 0; step < steps; step++) {
        step();
      }
      if (random.nextInt(10) == 0) {
        source.rollback();
      } else {
        source.commit();
      }
    } finally {
      source.setAutoCommit(true);
    }
  }

  private void step() throws SQLException {
    int id = 1 + random.nextInt(Math.max(1, next));
    switch (random.nextInt(9)) {
      case 0, 1, 2:
        int added = next++;
        run("INSERT INTO shop.items VALUES (%d, %d, '%s')".formatted(added, added, wide(added)));
        break;
      case 3:
        // The wide value is not in the log then.
        run("UPDATE shop.items SET state = 's%d' WHERE id = %d".formatted(statements, id));
        break;
      case 4:
        // A NULL in a column that has a default.
        run("UPDATE shop.items SET state = NULL, price = NULL WHERE id = " + id);
        break;
      case 5:
        run("DELETE FROM shop.items WHERE id = " + id);
        break;
      case 6:
        run("UPDATE shop.items SET id = %d WHERE id = %d".formatted(next++, id));
        break;
      case 7:
        // Unique values change places.
        run(
            ("UPDATE shop.items a SET code = b.code FROM shop.items b"
                    + " WHERE (a.id = %1$d AND b.id = %2$d) OR (a.id = %2$d AND b.id = %1$d)")
                .formatted(id, 1 + random.nextInt(next)));
        break;
      default:
        run("INSERT INTO shop.audit VALUES ('equal', %d)".formatted(random.nextInt(5)));
        run("DELETE FROM shop.audit WHERE ctid IN (SELECT max(ctid) FROM shop.audit WHERE at = 4)");
    }
  }

  /** Empties two tables that a foreign key joins, and fills them again. */
  void truncate() throws SQLException {
    run("TRUNCATE shop.orders, shop.lines");
    run("INSERT INTO shop.orders VALUES (%d, 'after')".formatted(next++));
  }

  void order() throws SQLException {
    int id = next++;
    run(
        "WITH o AS (INSERT INTO shop.orders VALUES (%1$d, 'x') RETURNING id) INSERT INTO shop.lines SELECT %1$d, id FROM o"
            .formatted(id));
  }

  private void run(String sql) throws SQLException {
    statements++;
    try (Statement statement = source.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String wide(int seed) {
    return new Random(seed)
        .ints(3_000, 'a', 'z')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** Every row of every table, as text. */
  static List<String> rows(Connection connection) throws SQLException {
    List<String> rows = new ArrayList<>();
    for (String table : TABLES) {
      try (Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  """
                  SELECT '%1$s ' || regexp_replace(t::text, '[a-z]{255}[a-z]+', md5(t::text))
                  FROM shop.%1$s t ORDER BY t::text COLLATE "C"
                  """
                      .formatted(table))) {
        while (row.next()) {
          rows.add(row.getString(1));
        }
      }
    }
    return rows;
  }
}
