package dev.sluice.engine.endtoend;

/** Power cuts with MySQL as the source. */
class MysqlPowerCutTest extends BinlogPowerCut {
  MysqlPowerCutTest() {
    super(ShopServer.MYSQL);
  }
}
