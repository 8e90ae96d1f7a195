package dev.sluice.target.mariadb.server;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The kinds of server that this module writes to, with the names that differ between them. Code
 * that must behave differently asks which kind it is. Immutable.
 */
public enum ServerKind {
  MARIADB(
      "mariadb",
      "MariaDB",
      "utf8mb4_nopad_bin",
      // SIMULTANEOUS_ASSIGNMENT: SET a = b, b = a exchanges the values, as in standard SQL.
      ",SIMULTANEOUS_ASSIGNMENT",
      // In a mode of older releases the server skips duplicate rows without a warning. The server
      // ends a session that is idle in a transaction, so that the row locks of a lost client do not
      // stay for hours.
      "old_mode = '', max_error_count = 64, in_predicate_conversion_threshold = 0, check_constraint_checks = 1, max_statement_time = 0, idle_transaction_timeout = "
          + ServerKind.SILENT_SECONDS
          + ", idle_write_transaction_timeout = "
          + ServerKind.SILENT_SECONDS),
  MYSQL(
      "mysql",
      "MySQL",
      "utf8mb4_0900_bin",
      "",
      // Otherwise the counter of a column that the catalog shows may be a day old, and keys that
      // the server generated may be hidden.
      "max_execution_time = 0, information_schema_stats_expiry = 0,"
          + " show_gipk_in_create_table_and_information_schema = ON");

  /** After this time MariaDB ends a session that is idle in a transaction. */
  public static final int SILENT_SECONDS = 1200;

  /** The oldest supported release of MySQL is 8.4: 8.0 gets no fixes. */
  private static final int FIRST_MAJOR = 8;

  private static final int FIRST_MINOR = 4;

  private static final String ONLY_MARIADB_HAS = "SHOW GLOBAL VARIABLES LIKE 'gtid_domain_id'";

  private final String type;
  private final String label;
  private final String binaryCollation;
  private final String moreModes;
  private final String settings;

  ServerKind(String type, String label, String binaryCollation, String moreModes, String settings) {
    this.type = type;
    this.label = label;
    this.binaryCollation = binaryCollation;
    this.moreModes = moreModes;
    this.settings = settings;
  }

  /** The type of a target, as a task file names it. */
  public String type() {
    return type;
  }

  /** The name of the server in messages. */
  public String label() {
    return label;
  }

  /** The collation of utf8mb4 that compares bytes and does not ignore trailing spaces. */
  public String binaryCollation() {
    return binaryCollation;
  }

  /** The sql_mode values of a session that only this server has, each after a comma. */
  public String moreModes() {
    return moreModes;
  }

  /** The settings of a session that only this server has. */
  public String settings() {
    return settings;
  }

  /** The variable with the time limit of a session's statements. */
  public String limitOfStatements() {
    return this == MARIADB ? "max_statement_time" : "max_execution_time";
  }

  /** The statement that sets the time limit of a session's statements. */
  public String limit(long millis) {
    return "SET SESSION %s = %s"
        .formatted(
            limitOfStatements(),
            this == MARIADB
                ? "%d.%03d".formatted(millis / 1000, millis % 1000)
                : Long.toString(millis));
  }

  /** The view of InnoDB's tables in {@code information_schema}. */
  public String innodbTables() {
    return this == MARIADB ? "INNODB_SYS_TABLES" : "INNODB_TABLES";
  }

  /** The view of their columns. */
  public String innodbColumns() {
    return this == MARIADB ? "INNODB_SYS_COLUMNS" : "INNODB_COLUMNS";
  }

  /**
   * The variable with the server's identity; MariaDB has it since 10.11.9, 11.1.6, 11.2.5 and
   * 11.4.3.
   */
  public String identity() {
    return this == MARIADB ? "server_uid" : "server_uuid";
  }

  /** The maximum number of digits of a decimal after the point. */
  public int longestFraction() {
    return this == MARIADB ? 38 : 30;
  }

  /** The shortest timeout, in seconds, for a lock on a table's definition. */
  public int shortestLockTimeout() {
    return this == MARIADB ? 0 : 1;
  }

  /**
   * Why a session's server is not the one that the task file names; empty if it is. A proxy in
   * front of MariaDB may greet as MySQL, so the server itself is asked then.
   */
  public Optional<String> problemOf(Connection session) throws SQLException {
    DatabaseMetaData greeting = session.getMetaData();
    boolean mariadb =
        !greeting.getDatabaseProductName().equals("MySQL") || hasMariadbsVariable(session);
    return problemOf(
        mariadb,
        greeting.getDatabaseMajorVersion(),
        greeting.getDatabaseMinorVersion(),
        greeting.getDatabaseProductVersion());
  }

  /** As {@link #problemOf(Connection)}, for what the server says about itself. */
  Optional<String> problemOf(boolean mariadb, int major, int minor, String version) {
    if (mariadb != (this == MARIADB)) {
      ServerKind other = mariadb ? MARIADB : MYSQL;
      return Optional.of(
          "the server is %s, expected %s. Write target.type: %s, and that scheme in target.url; or name a server of %s"
              .formatted(other.label, label, other.type, label));
    }
    boolean old = major < FIRST_MAJOR || major == FIRST_MAJOR && minor < FIRST_MINOR;
    return this == MYSQL && old
        ? Optional.of(
            "the server is version %s, expected MySQL %d.%d or newer. Use such a server"
                .formatted(version, FIRST_MAJOR, FIRST_MINOR))
        : Optional.empty();
  }

  private static boolean hasMariadbsVariable(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(ONLY_MARIADB_HAS)) {
      return row.next();
    }
  }
}
