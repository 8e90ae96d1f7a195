package dev.sluice.engine.endtoend;

/** A migration of a MariaDB database. */
class MariadbMigrationTest extends BinlogMigration {
  MariadbMigrationTest() {
    super(ShopServer.MARIADB);
  }
}
