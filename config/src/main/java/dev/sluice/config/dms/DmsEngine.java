package dev.sluice.config.dms;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The databases behind DMS's names of engines, as far as a task file can name them, and how it does
 * so.
 */
enum DmsEngine {
  POSTGRESQL(
      "PostgreSQL",
      List.of("postgres", "aurora-postgresql", "aurora-postgresql-serverless"),
      List.of("PostgreSQLSettings"),
      5432),
  MARIADB("MariaDB", List.of("mariadb"), List.of("MySQLSettings"), 3306),
  MYSQL(
      "MySQL",
      List.of("mysql", "aurora", "aurora-serverless"),
      List.of("MySQLSettings", "GcpMySQLSettings"),
      3306),
  DB2("Db2", List.of("db2"), List.of("IBMDb2Settings"), 50_000),
  DB2_ZOS("Db2 for z/OS", List.of("db2-zos"), List.of("IBMDb2Settings"), 50_000);

  private final String shown;
  private final List<String> names;
  private final List<String> settings;
  private final int defaultPort;

  DmsEngine(String shown, List<String> names, List<String> settings, int defaultPort) {
    this.shown = shown;
    this.names = names;
    this.settings = settings;
    this.defaultPort = defaultPort;
  }

  /** The engine that DMS calls so; empty if no task file can have it on that side. */
  static Optional<DmsEngine> of(String side, String name) {
    return on(side).filter(engine -> engine.names.contains(name)).findFirst();
  }

  /** All names of DMS that a task file can have on that side, for messages. */
  static String allOf(String side) {
    return on(side)
        .map(engine -> engine.shown + " (" + String.join(", ", engine.names) + ")")
        .collect(Collectors.joining(", "));
  }

  private static Stream<DmsEngine> on(String side) {
    return Arrays.stream(values())
        .filter(engine -> engine != DB2_ZOS || side.equals(DmsEndpoint.SOURCE));
  }

  /** DMS's names of the objects with the settings of an endpoint of this engine. */
  List<String> settings() {
    return settings;
  }

  int defaultPort() {
    return defaultPort;
  }

  boolean isDb2() {
    return this == DB2 || this == DB2_ZOS;
  }

  /** Whether a schema of DMS's rules is a database, of which a task has one. */
  boolean hasDatabasesForSchemas() {
    return this == MARIADB || this == MYSQL;
  }

  /** The type of the endpoint in a task file, which is also the scheme of its url. */
  String type(String side) {
    return switch (this) {
      case POSTGRESQL -> "postgresql";
      case MARIADB -> "mariadb";
      case MYSQL -> "mysql";
      case DB2, DB2_ZOS -> side.equals(DmsEndpoint.SOURCE) ? "debezium" : "db2";
    };
  }

  /**
   * The option of the url by which sessions are encrypted.
   *
   * @param sslMode of DMS, which is not {@code none}
   * @return empty if urls have none: a connector of Debezium's has properties
   */
  String encryption(String side, String sslMode) {
    return switch (this) {
      case POSTGRESQL -> "sslmode=" + sslMode;
      case MARIADB, MYSQL -> "sslMode=" + (sslMode.equals("require") ? "trust" : sslMode);
      case DB2, DB2_ZOS -> side.equals(DmsEndpoint.SOURCE) ? "" : "sslConnection=true";
    };
  }

  /** Its name, for messages. */
  @Override
  public String toString() {
    return shown;
  }
}
