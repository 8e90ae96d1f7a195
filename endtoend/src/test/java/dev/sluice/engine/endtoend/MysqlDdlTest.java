package dev.sluice.engine.endtoend;

/** A MySQL database whose tables are altered. */
class MysqlDdlTest extends BinlogDdl {
  MysqlDdlTest() {
    super(ShopServer.MYSQL);
  }
}
