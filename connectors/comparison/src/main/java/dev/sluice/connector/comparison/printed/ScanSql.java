package dev.sluice.connector.comparison.printed;

/** What servers say differently in a query of rows. Pure. */
public enum ScanSql {
  /** MariaDB and MySQL. */
  MARIADB(" LIMIT %d", " LIMIT 1 OFFSET %d", " USE INDEX ()"),
  /** As the standard has it: Db2, and Derby. */
  STANDARD(" FETCH FIRST %d ROWS ONLY", " OFFSET %d ROWS FETCH NEXT 1 ROWS ONLY", "");

  private final String first;
  private final String one;
  private final String wholeTable;

  ScanSql(String first, String one, String wholeTable) {
    this.first = first;
    this.one = one;
    this.wholeTable = wholeTable;
  }

  /** The end of a query that gives the first rows. */
  String first(long rows) {
    return first.formatted(rows);
  }

  /** The end of a query that gives one row after others. */
  String oneBehind(long rows) {
    return one.formatted(rows);
  }

  /**
   * What stands after a table that is read whole: another index with all columns may lack a row.
   */
  String wholeTable() {
    return wholeTable;
  }
}
