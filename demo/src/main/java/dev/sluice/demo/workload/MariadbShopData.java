package dev.sluice.demo.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Fills the shop's tables in MariaDB, with the rows of {@link ShopData}. Stateless. */
public final class MariadbShopData {
  private MariadbShopData() {}

  public static void fill(Connection connection, ShopScale scale) throws SQLException {
    List<String> statements =
        List.of(
            """
            INSERT INTO warehouse
            SELECT w.seq, concat('w', w.seq), round(rand() / 5, 4), 300000
            FROM seq_1_to_%1$d w\
            """,
            """
            INSERT INTO district
            SELECT w.seq, d.seq, concat('d', d.seq), round(rand() / 5, 4), 30000, %5$d + 1
            FROM seq_1_to_%1$d w, seq_1_to_%2$d d\
            """,
            """
            INSERT INTO customer
            SELECT w.seq, d.seq, c.seq, concat('c', w.seq, '.', d.seq, '.', c.seq, '@example.org'),
                   concat('name ', c.seq %% 100), timestamp '2026-01-01 00:00:00' + INTERVAL c.seq HOUR,
                   if(c.seq %% 10 = 0, 'BC', 'GC'), -10, 1, 0,
                   if(c.seq %% 4 = 0, repeat(md5(concat_ws('/', w.seq, d.seq, c.seq)), 100), 'short')
            FROM seq_1_to_%1$d w, seq_1_to_%2$d d, seq_1_to_%4$d c\
            """,
            """
            INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_date, h_amount, h_data)
            SELECT c_id, c_d_id, c_w_id, c_since, 10, 'opening balance' FROM customer\
            """,
            """
            INSERT INTO item
            SELECT seq, concat('item ', seq), round(rand() * 99 + 1, 2),
                   json_array(concat('tag ', seq %% 7), 'it''s "quoted", \\\\ and {braced}'), seq
            FROM seq_1_to_%3$d\
            """,
            """
            INSERT INTO stock
            SELECT w.seq, i.seq, 10 + i.seq %% 90, 0, 0,
                   json_object('shelf', i.seq %% 50, 'made', 'né 🏭')
            FROM seq_1_to_%1$d w, seq_1_to_%3$d i\
            """,
            """
            INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt)
            SELECT w.seq, d.seq, o.seq, 1 + o.seq %% (%4$d DIV 2),
                   timestamp '2026-02-01 00:00:00' + INTERVAL o.seq MINUTE,
                   if(o.seq <= %5$d * 7 / 10, 1 + o.seq %% 10, NULL), %6$d
            FROM seq_1_to_%1$d w, seq_1_to_%2$d d, seq_1_to_%5$d o\
            """,
            """
            INSERT INTO new_order
            SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_carrier_id IS NULL\
            """,
            """
            INSERT INTO order_line
            SELECT o_w_id, o_d_id, o_id, seq, 1 + (o_id * 31 + seq * 7) %% %3$d,
                   if(o_carrier_id IS NULL, NULL, o_entry_d), 5, round(rand() * 9999, 2)
            FROM orders, seq_1_to_%6$d\
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
      statement.execute(
          "ANALYZE TABLE warehouse, district, customer, history, item, stock, orders, new_order,"
              + " order_line");
    }
  }
}
