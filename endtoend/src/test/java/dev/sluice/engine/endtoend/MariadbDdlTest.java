package dev.sluice.engine.endtoend;

/** A MariaDB database whose tables are altered. */
class MariadbDdlTest extends BinlogDdl {
  MariadbDdlTest() {
    super(ShopServer.MARIADB);
  }
}
