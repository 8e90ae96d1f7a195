package dev.sluice.engine.endtoend;

/** With MariaDB. */
class MariadbRandomTablesKillTest extends RandomTablesKill {
  MariadbRandomTablesKillTest() {
    super(ShopServer.MARIADB);
  }
}
