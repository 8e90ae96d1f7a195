package dev.sluice.demo.workload;

import java.sql.SQLException;
import java.util.Set;

/** The shop's transactions on PostgreSQL. Stateless. */
final class PostgresTransactions implements ShopTransactions {
  /** Deadlock, and a transaction that cannot be put in an order with others. */
  private static final Set<String> ORDINARY = Set.of("40P01", "40001");

  @Override
  public boolean isOrdinary(SQLException failure) {
    return failure.getSQLState() != null && ORDINARY.contains(failure.getSQLState());
  }

  @Override
  public void newOrder(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int order =
        shop.number(
            "UPDATE shop.district SET d_next_o_id = d_next_o_id + 1"
                + " WHERE d_w_id = ? AND d_id = ? RETURNING d_next_o_id - 1",
            w,
            d);
    int lines = 3 + shop.random().nextInt(10);
    shop.execute(
        "INSERT INTO shop.orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt)"
            + " VALUES (?, ?, ?, ?, clock_timestamp(), ?)",
        w,
        d,
        order,
        shop.customer(),
        lines);
    shop.execute("INSERT INTO shop.new_order VALUES (?, ?, ?)", w, d, order);
    int firstItem = shop.item();
    for (int line = 1; line <= lines; line++) {
      // Ascending items: two orders never wait for each other's stock in a circle.
      int item = Math.min(ShopScale.ITEMS, firstItem + line);
      shop.execute(
          "UPDATE shop.stock SET s_quantity = CASE WHEN s_quantity > 10 THEN s_quantity - 5"
              + " ELSE s_quantity + 86 END, s_ytd = s_ytd + 5, s_order_cnt = s_order_cnt + 1"
              + " WHERE s_w_id = ? AND s_i_id = ?",
          w,
          item);
      shop.execute(
          "INSERT INTO shop.order_line VALUES (?, ?, ?, ?, ?, NULL, 5, round(random()::numeric"
              + " * 9999, 2))",
          w,
          d,
          order,
          line,
          item);
    }
  }

  /** The history has no key here. */
  @Override
  public void payment(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int c = shop.customer();
    shop.execute("UPDATE shop.warehouse SET w_ytd = w_ytd + 7 WHERE w_id = ?", w);
    shop.execute("UPDATE shop.district SET d_ytd = d_ytd + 7 WHERE d_w_id = ? AND d_id = ?", w, d);
    shop.execute(
        "UPDATE shop.customer SET c_balance = c_balance - 7, c_payment_cnt = c_payment_cnt + 1"
            + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        w,
        d,
        c);
    shop.execute(
        "INSERT INTO shop.history VALUES (?, ?, ?, date_trunc('second', now()), 7, 'payment')",
        c,
        d,
        w);
  }

  @Override
  public void delivery(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int order =
        shop.number(
            "DELETE FROM shop.new_order WHERE (no_w_id, no_d_id, no_o_id) IN (SELECT no_w_id,"
                + " no_d_id, no_o_id FROM shop.new_order WHERE no_w_id = ? AND no_d_id = ? ORDER"
                + " BY no_o_id LIMIT 1 FOR UPDATE) RETURNING no_o_id",
            w,
            d);
    shop.execute(
        "UPDATE shop.orders SET o_carrier_id = 3 WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
        w,
        d,
        order);
    shop.execute(
        "UPDATE shop.order_line SET ol_delivery_d = clock_timestamp()"
            + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
        w,
        d,
        order);
  }

  @Override
  public void correction(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int order = 1 + shop.random().nextInt(ShopScale.ORDERS);
    shop.execute(
        "CREATE TEMP TABLE IF NOT EXISTS corrected (LIKE shop.order_line) ON COMMIT DELETE ROWS");
    shop.execute(
        "WITH gone AS (DELETE FROM shop.order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id"
            + " = ? RETURNING *) INSERT INTO corrected SELECT * FROM gone",
        w,
        d,
        order);
    shop.execute(
        "INSERT INTO shop.order_line SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,"
            + " ol_delivery_d, ol_quantity + 1, ol_amount FROM corrected");
  }

  /** The customer's long value is unchanged and so not in the log. */
  @Override
  public void keyChange(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int rank = shop.item();
    shop.execute("UPDATE shop.item SET i_rank = NULL WHERE i_id = ?", rank);
    shop.execute(
        "UPDATE shop.customer SET c_id = CASE WHEN c_id > 100000 THEN c_id - 100000 ELSE c_id +"
            + " 100000 END WHERE c_w_id = ? AND c_d_id = ? AND c_id = (SELECT c_id FROM"
            + " shop.customer c WHERE c_w_id = ? AND c_d_id = ? AND NOT EXISTS (SELECT FROM"
            + " shop.orders WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c.c_id) ORDER"
            + " BY random() LIMIT 1)",
        w,
        d,
        w,
        d);
  }

  /** Of rows without a key, among them duplicates. */
  @Override
  public void archive(ShopSession shop) throws SQLException {
    shop.execute(
        "DELETE FROM shop.history WHERE ctid IN (SELECT ctid FROM shop.history WHERE h_c_w_id = ?"
            + " AND h_c_d_id = ? LIMIT 3)",
        shop.warehouse(),
        shop.district());
  }
}
