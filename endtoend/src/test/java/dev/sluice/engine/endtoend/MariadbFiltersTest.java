package dev.sluice.engine.endtoend;

/** A part of the rows of MariaDB. */
class MariadbFiltersTest extends BinlogFilters {
  MariadbFiltersTest() {
    super(ShopServer.MARIADB);
  }
}
