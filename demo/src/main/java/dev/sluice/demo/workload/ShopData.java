package dev.sluice.demo.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Fills the shop's tables on the source, with rows that the server generates. Stateless. */
public final class ShopData {
  private ShopData() {}

  public static void fill(Connection connection, ShopScale scale) throws SQLException {
    List<String> statements =
        List.of(
            """
            INSERT INTO shop.warehouse
            SELECT w, 'w' || w, round(random()::numeric / 5, 4), 300000
            FROM generate_series(1, %1$d) w\
            """,
            """
            INSERT INTO shop.district
            SELECT w, d, 'd' || d, round(random()::numeric / 5, 4), 30000, %5$d + 1
            FROM generate_series(1, %1$d) w, generate_series(1, %2$d) d\
            """,
            """
            INSERT INTO shop.customer
            SELECT w, d, c, format('c%%s.%%s.%%s@example.org', w, d, c), 'name ' || c %% 100,
                   timestamptz '2026-01-01' + c * interval '1 hour',
                   CASE WHEN c %% 10 = 0 THEN 'BC' ELSE 'GC' END, -10, 1, 0,
                   CASE WHEN c %% 4 = 0 THEN repeat(md5(format('%%s/%%s/%%s', w, d, c)), 100)
                        ELSE 'short' END
            FROM generate_series(1, %1$d) w, generate_series(1, %2$d) d,
                 generate_series(1, %4$d) c\
            """,
            """
            INSERT INTO shop.history
            SELECT c_id, c_d_id, c_w_id, c_since, 10, 'opening balance' FROM shop.customer\
            """,
            """
            INSERT INTO shop.item
            SELECT i, 'item ' || i, round((random() * 99 + 1)::numeric, 2),
                   ARRAY['tag ' || i %% 7, 'it''s "quoted", \\ and {braced}'], i
            FROM generate_series(1, %3$d) i\
            """,
            """
            INSERT INTO shop.stock
            SELECT w, i, 10 + i %% 90, 0, 0, jsonb_build_object('shelf', i %% 50, 'made', 'né 🏭')
            FROM generate_series(1, %1$d) w, generate_series(1, %3$d) i\
            """,
            """
            INSERT INTO shop.orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt)
            SELECT w, d, o, 1 + o %% (%4$d / 2), timestamptz '2026-02-01' + o * interval '1 minute',
                   CASE WHEN o <= %5$d * 7 / 10 THEN 1 + o %% 10 END, %6$d
            FROM generate_series(1, %1$d) w, generate_series(1, %2$d) d,
                 generate_series(1, %5$d) o\
            """,
            """
            INSERT INTO shop.new_order
            SELECT o_w_id, o_d_id, o_id FROM shop.orders WHERE o_carrier_id IS NULL\
            """,
            """
            INSERT INTO shop.order_line
            SELECT o_w_id, o_d_id, o_id, n, 1 + (o_id * 31 + n * 7) %% %3$d,
                   CASE WHEN o_carrier_id IS NOT NULL THEN o_entry_d END, 5,
                   round((random() * 9999)::numeric, 2)
            FROM shop.orders, generate_series(1, %6$d) n\
            """);
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(
            sql.formatted(
                scale.warehouses(),
                ShopScale.DISTRICTS,
                ShopScale.ITEMS,
                ShopScale.CUSTOMERS,
                ShopScale.ORDERS,
                ShopScale.LINES));
      }
      statement.execute("ANALYZE");
    }
  }
}
