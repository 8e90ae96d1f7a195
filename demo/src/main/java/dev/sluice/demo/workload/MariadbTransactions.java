package dev.sluice.demo.workload;

import java.sql.SQLException;
import java.util.Set;

/** The shop's transactions on MariaDB. Stateless. */
final class MariadbTransactions implements ShopTransactions {
  /** Lock timeout and deadlock. */
  private static final Set<Integer> ORDINARY = Set.of(1205, 1213);

  @Override
  public boolean isOrdinary(SQLException failure) {
    return ORDINARY.contains(failure.getErrorCode());
  }

  @Override
  public void newOrder(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int order =
        shop.number(
            "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE", w, d);
    shop.execute(
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?", w, d);
    int lines = 3 + shop.random().nextInt(10);
    shop.execute(
        "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt)"
            + " VALUES (?, ?, ?, ?, now(6), ?)",
        w,
        d,
        order,
        shop.customer(),
        lines);
    shop.execute("INSERT INTO new_order VALUES (?, ?, ?)", w, d, order);
    int firstItem = shop.item();
    for (int line = 1; line <= lines; line++) {
      // Ascending items: two orders never wait for each other's stock in a circle.
      int item = Math.min(ShopScale.ITEMS, firstItem + line);
      shop.execute(
          "UPDATE stock SET s_quantity = CASE WHEN s_quantity > 10 THEN s_quantity - 5"
              + " ELSE s_quantity + 86 END, s_ytd = s_ytd + 5, s_order_cnt = s_order_cnt + 1"
              + " WHERE s_w_id = ? AND s_i_id = ?",
          w,
          item);
      shop.execute(
          "INSERT INTO order_line VALUES (?, ?, ?, ?, ?, NULL, 5, round(rand() * 9999, 2))",
          w,
          d,
          order,
          line,
          item);
    }
  }

  @Override
  public void payment(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int c = shop.customer();
    shop.execute("UPDATE warehouse SET w_ytd = w_ytd + 7 WHERE w_id = ?", w);
    shop.execute("UPDATE district SET d_ytd = d_ytd + 7 WHERE d_w_id = ? AND d_id = ?", w, d);
    shop.execute(
        "UPDATE customer SET c_balance = c_balance - 7, c_payment_cnt = c_payment_cnt + 1"
            + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        w,
        d,
        c);
    shop.execute(
        "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_date, h_amount, h_data)"
            + " VALUES (?, ?, ?, now(), 7, 'payment')",
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
            "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1"
                + " RETURNING no_o_id",
            w,
            d);
    shop.execute(
        "UPDATE orders SET o_carrier_id = 3 WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
        w,
        d,
        order);
    shop.execute(
        "UPDATE order_line SET ol_delivery_d = now(6)"
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
    String ofOrder = " FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
    // The server does not log temporary tables.
    shop.execute("CREATE TEMPORARY TABLE IF NOT EXISTS corrected LIKE order_line");
    shop.execute("DELETE FROM corrected");
    shop.execute("INSERT INTO corrected SELECT *" + ofOrder + " FOR UPDATE", w, d, order);
    shop.execute("DELETE" + ofOrder, w, d, order);
    shop.execute(
        "INSERT INTO order_line SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,"
            + " ol_delivery_d, ol_quantity + 1, ol_amount FROM corrected");
  }

  /** Of a customer without orders: MariaDB refuses a new key of a row that others reference. */
  @Override
  public void keyChange(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    shop.execute("UPDATE item SET i_rank = NULL WHERE i_id = ?", shop.item());
    int c =
        shop.number(
            "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND NOT EXISTS (SELECT 1"
                + " FROM orders WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id)"
                + " ORDER BY rand() LIMIT 1",
            w,
            d);
    shop.execute(
        "UPDATE customer SET c_id = CASE WHEN c_id > 100000 THEN c_id - 100000 ELSE c_id + 100000"
            + " END WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        w,
        d,
        c);
  }

  @Override
  public void archive(ShopSession shop) throws SQLException {
    shop.execute(
        "DELETE FROM history WHERE h_c_w_id = ? AND h_c_d_id = ? ORDER BY h_id LIMIT 3",
        shop.warehouse(),
        shop.district());
  }
}
