package dev.sluice.engine.endtoend;

/** From MariaDB to MariaDB. */
class MariadbToMariadbTest extends BinlogToBinlog {
  MariadbToMariadbTest() {
    super(ShopServer.MARIADB);
  }
}
