package dev.sluice.connector.mariadb.server;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Which of the two servers that have this binary log answers, with what they call differently. What
 * they do differently asks for it.
 */
public enum Flavour {
  MARIADB(
      MariadbConfig.TYPE,
      "MariaDB",
      "@@global.server_uid",
      "SHOW MASTER STATUS",
      "INNODB_SYS_TABLES",
      "INNODB_SYS_COLUMNS",
      "max_statement_time = 0, idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0"),
  MYSQL(
      MariadbConfig.MYSQL,
      "MySQL",
      "@@global.server_uuid",
      "SHOW BINARY LOG STATUS",
      "INNODB_TABLES",
      "INNODB_COLUMNS",
      // Otherwise the next number of an auto_increment column may be a day old.
      "max_execution_time = 0, information_schema_stats_expiry = 0");

  private final String type;
  private final String label;
  private final String identity;
  private final String logStatus;
  private final String innodbTables;
  private final String innodbColumns;
  private final String settings;

  Flavour(
      String type,
      String label,
      String identity,
      String logStatus,
      String innodbTables,
      String innodbColumns,
      String settings) {
    this.type = type;
    this.label = label;
    this.identity = identity;
    this.logStatus = logStatus;
    this.innodbTables = innodbTables;
    this.innodbColumns = innodbColumns;
    this.settings = settings;
  }

  /** That of a connection's server, by what the server said at the login. */
  public static Flavour of(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().equals("MySQL") ? MYSQL : MARIADB;
  }

  /** The type of a source, as a task file names it. */
  String type() {
    return type;
  }

  /** As people write it. */
  public String label() {
    return label;
  }

  /** The expression for the server's identity. */
  public String identity() {
    return identity;
  }

  /** The statement that tells where the binary log ends. */
  public String logStatus() {
    return logStatus;
  }

  /** The view of InnoDB's tables in {@code information_schema}. */
  public String innodbTables() {
    return innodbTables;
  }

  /** The view of their columns. */
  public String innodbColumns() {
    return innodbColumns;
  }

  /** What a session sets that only this server has, without an end. */
  String settings() {
    return settings;
  }

  /** The shortest time in seconds that a session may wait for the lock of a table's definition. */
  public int shortestLockTimeout() {
    return this == MARIADB ? 0 : 1;
  }

  /** The statement that limits a session's statements to a time. */
  public String limit(long millis) {
    return this == MARIADB
        ? "SET SESSION max_statement_time = %d.%03d".formatted(millis / 1000, millis % 1000)
        : "SET SESSION max_execution_time = " + millis;
  }
}
