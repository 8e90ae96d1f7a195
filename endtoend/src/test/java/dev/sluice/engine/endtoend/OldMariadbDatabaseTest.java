package dev.sluice.engine.endtoend;

/** An old database of MariaDB. */
class OldMariadbDatabaseTest extends OldBinlogDatabase {
  OldMariadbDatabaseTest() {
    super(ShopServer.MARIADB);
  }
}
