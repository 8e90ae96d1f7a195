package dev.sluice.engine.endtoend;

/** From MySQL to MySQL. */
class MysqlToMysqlTest extends BinlogToBinlog {
  MysqlToMysqlTest() {
    super(ShopServer.MYSQL);
  }
}
