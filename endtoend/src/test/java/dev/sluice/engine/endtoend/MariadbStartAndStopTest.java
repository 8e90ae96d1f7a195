package dev.sluice.engine.endtoend;

/** A task of MariaDB from place to place of the log. */
class MariadbStartAndStopTest extends BinlogStartAndStop {
  MariadbStartAndStopTest() {
    super(ShopServer.MARIADB);
  }
}
