package dev.sluice.engine.endtoend;

/** A part of the rows of MySQL. */
class MysqlFiltersTest extends BinlogFilters {
  MysqlFiltersTest() {
    super(ShopServer.MYSQL);
  }
}
