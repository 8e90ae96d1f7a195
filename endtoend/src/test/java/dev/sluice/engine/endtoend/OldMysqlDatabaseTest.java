package dev.sluice.engine.endtoend;

/** An old database of MySQL. */
class OldMysqlDatabaseTest extends OldBinlogDatabase {
  OldMysqlDatabaseTest() {
    super(ShopServer.MYSQL);
  }
}
