package dev.sluice.engine.endtoend;

/** With MariaDB. */
class MariadbPrimaryChangeTest extends PrimaryChange {
  MariadbPrimaryChangeTest() {
    super(ShopServer.MARIADB);
  }
}
