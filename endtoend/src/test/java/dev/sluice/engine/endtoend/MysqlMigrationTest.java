package dev.sluice.engine.endtoend;

/** A migration of a MySQL database. */
class MysqlMigrationTest extends BinlogMigration {
  MysqlMigrationTest() {
    super(ShopServer.MYSQL);
  }
}
