package dev.sluice.engine.endtoend;

/** An old database of MariaDB. */
class MariadbZeroValuesTest extends BinlogZeroValues {
  MariadbZeroValuesTest() {
    super(ShopServer.MARIADB);
  }
}
