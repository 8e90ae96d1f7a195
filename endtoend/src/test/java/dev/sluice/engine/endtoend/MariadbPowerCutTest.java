package dev.sluice.engine.endtoend;

/** Power cuts with MariaDB as the source. */
class MariadbPowerCutTest extends BinlogPowerCut {
  MariadbPowerCutTest() {
    super(ShopServer.MARIADB);
  }
}
