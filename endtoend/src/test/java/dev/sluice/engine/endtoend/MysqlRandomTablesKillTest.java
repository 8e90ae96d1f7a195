package dev.sluice.engine.endtoend;

/** With MySQL. */
class MysqlRandomTablesKillTest extends RandomTablesKill {
  MysqlRandomTablesKillTest() {
    super(ShopServer.MYSQL);
  }
}
