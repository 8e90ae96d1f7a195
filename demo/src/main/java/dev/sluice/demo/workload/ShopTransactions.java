package dev.sluice.demo.workload;

import java.sql.SQLException;

/**
 * The statements of each kind of transaction on one kind of database. Each leaves the connection's
 * transaction open for its caller to commit or roll back. Stateless; called by the threads of the
 * workload.
 */
public sealed interface ShopTransactions permits PostgresTransactions, MariadbTransactions {
  ShopTransactions POSTGRESQL = new PostgresTransactions();
  ShopTransactions MARIADB = new MariadbTransactions();

  /** An order with its lines; updates the district's counter and the stock. */
  void newOrder(ShopSession shop) throws SQLException;

  /** Moves money in three tables and writes a row of the history. */
  void payment(ShopSession shop) throws SQLException;

  /** Delivers a district's oldest order: deletes, updates of many rows. */
  void delivery(ShopSession shop) throws SQLException;

  /** Deletes an order's lines and inserts them again within one transaction. */
  void correction(ShopSession shop) throws SQLException;

  /** Rotates the unique addresses of three customers. */
  default void addressRotation(ShopSession shop) throws SQLException {
    int w = shop.warehouse();
    int d = shop.district();
    int c = 1 + shop.random().nextInt(ShopScale.CUSTOMERS / 2 - 2);
    swap(shop, w, d, c);
    swap(shop, w, d, c + 1);
  }

  /** Uniqueness is checked with each row, so one address moves out of the way. */
  private static void swap(ShopSession shop, int w, int d, int c) throws SQLException {
    String where = " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    String read = "SELECT c_email FROM shop.customer" + where + " FOR UPDATE";
    String write = "UPDATE shop.customer SET c_email = ?" + where;
    String first = shop.text(read, w, d, c);
    String second = shop.text(read, w, d, c + 1);
    shop.execute(write, "moving " + w + "." + d + "." + c, w, d, c);
    shop.execute(write, first, w, d, c + 1);
    shop.execute(write, second, w, d, c);
  }

  /** Changes a customer's primary key. */
  void keyChange(ShopSession shop) throws SQLException;

  /** Deletes rows of the history. */
  void archive(ShopSession shop) throws SQLException;

  /** Whether applications meet this failure every day, and go on after a rollback. */
  boolean isOrdinary(SQLException failure);
}
