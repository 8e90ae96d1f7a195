package dev.sluice.demo.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.random.RandomGenerator;

/**
 * The kinds of transaction of the shop's workload. Each leaves the connection's transaction open
 * for its caller to commit or roll back.
 */
enum ShopTransaction {
  /** An order with its lines; updates the district's counter and the stock. */
  NEW_ORDER(44) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      int w = warehouse(scale, random);
      int d = district(random);
      int order =
          number(
              connection,
              "UPDATE shop.district SET d_next_o_id = d_next_o_id + 1"
                  + " WHERE d_w_id = ? AND d_id = ? RETURNING d_next_o_id - 1",
              w,
              d);
      int lines = 3 + random.nextInt(10);
      execute(
          connection,
          "INSERT INTO shop.orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt)"
              + " VALUES (?, ?, ?, ?, clock_timestamp(), ?)",
          w,
          d,
          order,
          customer(random),
          lines);
      execute(connection, "INSERT INTO shop.new_order VALUES (?, ?, ?)", w, d, order);
      int firstItem = item(random);
      for (int line = 1; line <= lines; line++) {
        // Ascending items: two orders never wait for each other's stock in a circle.
        int item = Math.min(ShopScale.ITEMS, firstItem + line);
        execute(
            connection,
            "UPDATE shop.stock SET s_quantity = CASE WHEN s_quantity > 10 THEN s_quantity - 5"
                + " ELSE s_quantity + 86 END, s_ytd = s_ytd + 5, s_order_cnt = s_order_cnt + 1"
                + " WHERE s_w_id = ? AND s_i_id = ?",
            w,
            item);
        execute(
            connection,
            "INSERT INTO shop.order_line VALUES (?, ?, ?, ?, ?, NULL, 5, round(random()::numeric"
                + " * 9999, 2))",
            w,
            d,
            order,
            line,
            item);
      }
    }
  },

  /** Moves money in three tables and writes a row of the table without a key. */
  PAYMENT(40) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      int w = warehouse(scale, random);
      int d = district(random);
      int c = customer(random);
      execute(connection, "UPDATE shop.warehouse SET w_ytd = w_ytd + 7 WHERE w_id = ?", w);
      execute(
          connection,
          "UPDATE shop.district SET d_ytd = d_ytd + 7 WHERE d_w_id = ? AND d_id = ?",
          w,
          d);
      execute(
          connection,
          "UPDATE shop.customer SET c_balance = c_balance - 7, c_payment_cnt = c_payment_cnt + 1"
              + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
          w,
          d,
          c);
      execute(
          connection,
          "INSERT INTO shop.history VALUES (?, ?, ?, date_trunc('second', now()), 7, 'payment')",
          c,
          d,
          w);
    }
  },

  /** Delivers a district's oldest order: deletes, updates of many rows. */
  DELIVERY(6) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      int w = warehouse(scale, random);
      int d = district(random);
      int order =
          number(
              connection,
              "DELETE FROM shop.new_order WHERE (no_w_id, no_d_id, no_o_id) IN (SELECT no_w_id,"
                  + " no_d_id, no_o_id FROM shop.new_order WHERE no_w_id = ? AND no_d_id = ? ORDER"
                  + " BY no_o_id LIMIT 1 FOR UPDATE) RETURNING no_o_id",
              w,
              d);
      execute(
          connection,
          "UPDATE shop.orders SET o_carrier_id = 3 WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
          w,
          d,
          order);
      execute(
          connection,
          "UPDATE shop.order_line SET ol_delivery_d = clock_timestamp()"
              + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
          w,
          d,
          order);
    }
  },

  /** Deletes an order's lines and inserts them again within one transaction. */
  CORRECTION(3) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      int w = warehouse(scale, random);
      int d = district(random);
      int order = 1 + random.nextInt(ShopScale.ORDERS);
      execute(
          connection,
          "CREATE TEMP TABLE IF NOT EXISTS corrected (LIKE shop.order_line) ON COMMIT DELETE ROWS");
      execute(
          connection,
          "WITH gone AS (DELETE FROM shop.order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id"
              + " = ? RETURNING *) INSERT INTO corrected SELECT * FROM gone",
          w,
          d,
          order);
      execute(
          connection,
          "INSERT INTO shop.order_line SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,"
              + " ol_delivery_d, ol_quantity + 1, ol_amount FROM corrected");
    }
  },

  /** Rotates the unique addresses of three customers. */
  ADDRESS_ROTATION(3) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      int w = warehouse(scale, random);
      int d = district(random);
      int c = 1 + random.nextInt(ShopScale.CUSTOMERS / 2 - 2);
      swap(connection, w, d, c);
      swap(connection, w, d, c + 1);
    }

    private void swap(Connection connection, int w, int d, int c) throws SQLException {
      String where = " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
      String read = "SELECT c_email FROM shop.customer" + where + " FOR UPDATE";
      String write = "UPDATE shop.customer SET c_email = ?" + where;
      String first = text(connection, read, w, d, c);
      String second = text(connection, read, w, d, c + 1);
      execute(connection, write, "moving " + w + "." + d + "." + c, w, d, c);
      execute(connection, write, first, w, d, c + 1);
      execute(connection, write, second, w, d, c);
    }
  },

  /** Changes a customer's primary key; its long value is unchanged and so not in the log. */
  KEY_CHANGE(2) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      int w = warehouse(scale, random);
      int d = district(random);
      int rank = item(random);
      execute(connection, "UPDATE shop.item SET i_rank = NULL WHERE i_id = ?", rank);
      execute(
          connection,
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
  },

  /** Deletes rows of the table without a key, including duplicates. */
  ARCHIVE(2) {
    @Override
    void run(Connection connection, ShopScale scale, RandomGenerator random) throws SQLException {
      execute(
          connection,
          "DELETE FROM shop.history WHERE ctid IN (SELECT ctid FROM shop.history WHERE h_c_w_id = ?"
              + " AND h_c_d_id = ? LIMIT 3)",
          warehouse(scale, random),
          district(random));
    }
  };

  /** Its share of all transactions, in percent. */
  private final int share;

  ShopTransaction(int share) {
    this.share = share;
  }

  abstract void run(Connection connection, ShopScale scale, RandomGenerator random)
      throws SQLException;

  static ShopTransaction pick(RandomGenerator random) {
    int at = random.nextInt(100);
    for (ShopTransaction kind : values()) {
      at -= kind.share;
      if (at < 0) {
        return kind;
      }
    }
    throw new IllegalStateException("BUG: the shares of the workload are not 100 in all");
  }

  private static int warehouse(ShopScale scale, RandomGenerator random) {
    return 1 + random.nextInt(scale.warehouses());
  }

  private static int district(RandomGenerator random) {
    return 1 + random.nextInt(ShopScale.DISTRICTS);
  }

  private static int customer(RandomGenerator random) {
    return 1 + random.nextInt(ShopScale.CUSTOMERS / 2);
  }

  private static int item(RandomGenerator random) {
    return 1 + random.nextInt(ShopScale.ITEMS);
  }

  private static void execute(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      statement.execute();
    }
  }

  private static int number(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet result = statement.executeQuery()) {
      return result.next() ? result.getInt(1) : 0;
    }
  }

  private static String text(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet result = statement.executeQuery()) {
      return result.next() ? result.getString(1) : "";
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
