package dev.sluice.engine.endtoend;

/** An old database of MySQL. */
class MysqlZeroValuesTest extends BinlogZeroValues {
  MysqlZeroValuesTest() {
    super(ShopServer.MYSQL);
  }
}
