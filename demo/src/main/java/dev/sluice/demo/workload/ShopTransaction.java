package dev.sluice.demo.workload;

import java.sql.SQLException;
import java.util.random.RandomGenerator;

/** The kinds of transaction of the shop's workload, with their shares. */
enum ShopTransaction {
  NEW_ORDER(44, ShopTransactions::newOrder),
  PAYMENT(40, ShopTransactions::payment),
  DELIVERY(6, ShopTransactions::delivery),
  CORRECTION(3, ShopTransactions::correction),
  ADDRESS_ROTATION(3, ShopTransactions::addressRotation),
  KEY_CHANGE(2, ShopTransactions::keyChange),
  ARCHIVE(2, ShopTransactions::archive);

  private interface Statements {
    void run(ShopTransactions database, ShopSession shop) throws SQLException;
  }

  /** Its share of all transactions, in percent. */
  private final int share;

  private final Statements statements;

  ShopTransaction(int share, Statements statements) {
    this.share = share;
    this.statements = statements;
  }

  /** Leaves the transaction open for the caller to commit or roll back. */
  void run(ShopTransactions database, ShopSession shop) throws SQLException {
    statements.run(database, shop);
  }

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
}
