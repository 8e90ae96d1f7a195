package dev.sluice.connector.mariadb.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The kinds of server with this binary log, with the names that differ between them. Code that must
 * behave differently asks which kind it is.
 */
public enum Flavour {
  MARIADB(
      "MariaDB",
      "SHOW MASTER STATUS",
      "INNODB_SYS_",
      "max_statement_time = 0, idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0"),
  MYSQL(
      "MySQL",
      "SHOW BINARY LOG STATUS",
      "INNODB_",
      // Otherwise the counter of an auto_increment column may be a day old. Otherwise the catalog
      // may hide keys that the server generated, which the log has.
      "max_execution_time = 0, information_schema_stats_expiry = 0,"
          + " show_gipk_in_create_table_and_information_schema = ON");

  private static final String ONLY_MARIADB_HAS = "SHOW GLOBAL VARIABLES LIKE 'gtid_domain_id'";

  private final String label;
  private final String logStatus;
  private final String innodb;
  private final String settings;

  Flavour(String label, String logStatus, String innodb, String settings) {
    this.label = label;
    this.logStatus = logStatus;
    this.innodb = innodb;
    this.settings = settings;
  }

  /**
   * The kind of a connection's server. A proxy in front of MariaDB may present itself as MySQL, so
   * the server is then asked.
   */
  public static Flavour of(Connection connection) throws SQLException {
    if (!connection.getMetaData().getDatabaseProductName().equals("MySQL")) {
      return MARIADB;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ONLY_MARIADB_HAS)) {
      return row.next() ? MARIADB : MYSQL;
    }
  }

  /** The kind for a source's type, as a task file names it. */
  public static Flavour ofType(String type) {
    return type.equals(MYSQL.type()) ? MYSQL : MARIADB;
  }

  /** The type of a source, as a task file names it. */
  public String type() {
    return this == MARIADB ? MariadbConfig.TYPE : MariadbConfig.MYSQL;
  }

  /** The name of the server in messages. */
  public String label() {
    return label;
  }

  /** The expression for the server's identity. */
  public String identity() {
    return this == MARIADB ? "@@global.server_uid" : "@@global.server_uuid";
  }

  /** The statement that shows where the binary log ends. */
  public String logStatus() {
    return logStatus;
  }

  /** The view of InnoDB's tables in {@code information_schema}. */
  public String innodbTables() {
    return innodb + "TABLES";
  }

  /** The view of their columns. */
  public String innodbColumns() {
    return innodb + "COLUMNS";
  }

  /** The settings of a session that only this server has. */
  String settings() {
    return settings;
  }

  /** The shortest timeout, in seconds, for a lock on a table's definition. */
  public int shortestLockTimeout() {
    return this == MARIADB ? 0 : 1;
  }

  /** The statement that sets the time limit of a session's statements. */
  public String limit(long millis) {
    return this == MARIADB
        ? "SET SESSION max_statement_time = %d.%03d".formatted(millis / 1000, millis % 1000)
        : "SET SESSION max_execution_time = " + millis;
  }
}
