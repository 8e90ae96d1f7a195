package dev.sluice.engine.endtoend;

/** With MySQL. */
class MysqlPrimaryChangeTest extends PrimaryChange {
  MysqlPrimaryChangeTest() {
    super(ShopServer.MYSQL);
  }
}
