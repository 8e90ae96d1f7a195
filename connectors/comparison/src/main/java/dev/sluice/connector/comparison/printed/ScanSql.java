package dev.sluice.connector.comparison.printed;

/** The clauses of a query for rows that differ between servers. Pure. */
public enum ScanSql {
  /** MariaDB and MySQL. */
  MARIADB(" LIMIT %d", " LIMIT 1 OFFSET %d", " USE INDEX ()"),
  /** Standard SQL: Db2 and Derby. */
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
   * The clause after a table that is scanned completely: an index with all columns may lack a row.
   */
  String wholeTable() {
    return wholeTable;
  }
}
