package dev.sluice.connector.generic.config;

import dev.sluice.config.TableId;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;

/**
 * Debezium's connectors whose records have been read: how each names transactions and tables, and
 * the properties by which its values keep what they are. Another connector is refused.
 */
public enum KnownConnector {
  POSTGRESQL(
      "io.debezium.connector.postgresql.PostgresConnector",
      true,
      Map.of(
          "plugin.name",
          "pgoutput",
          "publication.autocreate.mode",
          "disabled",
          "time.precision.mode",
          "microseconds",
          "interval.handling.mode",
          "string",
          "hstore.handling.mode",
          "map",
          "slot.drop.on.stop",
          "false",
          // As numbers, NaN would come as NULL.
          "decimal.handling.mode",
          "string",
          // Counted in a transaction like a change, and of nobody's interest.
          "message.prefix.exclude.list",
          ".*")),
  MARIADB("io.debezium.connector.mariadb.MariaDbConnector", true, Binlog.PROPERTIES),
  MYSQL("io.debezium.connector.mysql.MySqlConnector", false, Binlog.PROPERTIES),
  SQLSERVER(
      "io.debezium.connector.sqlserver.SqlServerConnector",
      false,
      Map.of("time.precision.mode", "isostring")),
  ORACLE(
      "io.debezium.connector.oracle.OracleConnector",
      false,
      Map.of("time.precision.mode", "isostring", "interval.handling.mode", "string")),
  DB2("io.debezium.connector.db2.Db2Connector", false, Map.of("time.precision.mode", "isostring"));

  private final String className;
  private final boolean tried;
  private final Map<String, String> properties;

  KnownConnector(String className, boolean tried, Map<String, String> properties) {
    this.className = className;
    this.tried = tried;
    this.properties = properties;
  }

  /** What Debezium's connectors of binary logs share. */
  private static final class Binlog {
    static final Map<String, String> PROPERTIES =
        Map.of(
            "time.precision.mode",
            "adaptive_time_microseconds",
            "bigint.unsigned.handling.mode",
            "precise",
            "event.deserialization.failure.handling.mode",
            "fail",
            "inconsistent.schema.handling.mode",
            "fail",
            // Else a year of two digits, as 70, would become another one.
            "enable.time.adjuster",
            "false");
  }

  /** The connector of that class; empty if its records have not been read. */
  static Optional<KnownConnector> ofClass(String className) {
    return Arrays.stream(values()).filter(known -> known.className.equals(className)).findFirst();
  }

  public String className() {
    return className;
  }

  /** Whether Sluice's build runs it against a real server. */
  public boolean isTried() {
    return tried;
  }

  /** The properties that this connector needs, and no other has. */
  public Map<String, String> properties() {
    return properties;
  }

  /**
   * The names of objects on the source that a task has of its own, where the file names none.
   *
   * @param name of the task, as it may be used on a source
   */
  Map<String, String> defaults(String name) {
    return this == POSTGRESQL ? Map.of("slot.name", name, "publication.name", name) : Map.of();
  }

  /** Properties that a file must have, with what they are for. */
  Map<String, String> required() {
    return this == MARIADB || this == MYSQL
        ? Map.of("database.server.id", "a number that no other replica of the server has")
        : Map.of();
  }

  int defaultPort() {
    return switch (this) {
      case POSTGRESQL -> 5432;
      case MARIADB, MYSQL -> 3306;
      case SQLSERVER -> 1433;
      case ORACLE -> 1521;
      case DB2 -> 50_000;
    };
  }

  /** Whether it keeps a history of the tables' definitions beside its offsets. */
  boolean hasSchemaHistory() {
    return this != POSTGRESQL;
  }

  /**
   * Whether a statement that defines something, or TRUNCATE, is a transaction that begins and has
   * no end, as in a binary log.
   */
  public boolean leavesStatementsOpen() {
    return readsBinlog();
  }

  /** Whether the database has a binary log, and transactions of XA in it. */
  public boolean readsBinlog() {
    return this == MARIADB || this == MYSQL;
  }

  /** The part of a transaction's id that is the same in all of its records. */
  public String transactionOf(String id) {
    // The PostgreSQL connector appends the LSN of the record at hand.
    int colon = this == POSTGRESQL ? id.indexOf(':') : -1;
    return colon < 0 ? id : id.substring(0, colon);
  }

  /** The name under which a transaction's end counts the events of a table. */
  public String collectionOf(Struct source) {
    String table = tableOf(source).schema() + "." + tableOf(source).name();
    return switch (this) {
      case POSTGRESQL, MARIADB, MYSQL -> table;
      case SQLSERVER, ORACLE, DB2 -> source.getString("db") + "." + table;
    };
  }

  /** The table that a source block names. */
  public TableId tableOf(Struct source) {
    Field schema = source.schema().field("schema");
    return new TableId(
        source.getString(schema == null ? "db" : "schema"), source.getString("table"));
  }
}
