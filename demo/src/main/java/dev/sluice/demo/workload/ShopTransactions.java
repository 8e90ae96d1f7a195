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
  void addressRotation(ShopSession shop) throws SQLException;

  /** Changes a customer's primary key. */
  void keyChange(ShopSession shop) throws SQLException;

  /** Deletes rows of the history. */
  void archive(ShopSession shop) throws SQLException;

  /** Whether applications meet this failure every day, and go on after a rollback. */
  boolean isOrdinary(SQLException failure);
}
