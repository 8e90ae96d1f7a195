package dev.sluice.engine.endtoend;

/** A task of MySQL from place to place of the log. */
class MysqlStartAndStopTest extends BinlogStartAndStop {
  MysqlStartAndStopTest() {
    super(ShopServer.MYSQL);
  }
}
