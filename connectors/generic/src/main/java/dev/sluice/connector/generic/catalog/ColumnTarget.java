package dev.sluice.connector.generic.catalog;

import dev.sluice.connector.generic.config.KnownConnector;
import java.sql.Types;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The type of PostgreSQL that holds every value of a source's column, in the text that Debezium's
 * records give. A type that is not listed is unknown, never guessed. Stateless.
 */
final class ColumnTarget {
  private static final int MOST_DIGITS = 1000;
  private static final int LONGEST = 10_485_760;

  /** By the name in PostgreSQL's driver; what it numbers like another type. */
  private static final Map<String, String> OF_POSTGRESQL =
      Map.ofEntries(
          Map.entry("serial", "integer"),
          Map.entry("bigserial", "bigint"),
          Map.entry("smallserial", "smallint"),
          Map.entry("bool", "boolean"),
          Map.entry("text", "text"),
          Map.entry("timestamptz", "timestamp with time zone"),
          Map.entry("uuid", "uuid"),
          Map.entry("json", "json"),
          Map.entry("jsonb", "jsonb"),
          Map.entry("inet", "inet"),
          Map.entry("cidr", "cidr"),
          Map.entry("macaddr", "macaddr"));

  /** What the driver would number otherwise than Debezium sends it. */
  private static final Map<String, String> OF_MARIADB =
      Map.ofEntries(
          Map.entry("tinyint", "smallint"),
          Map.entry("tinyint unsigned", "smallint"),
          Map.entry("smallint unsigned", "integer"),
          Map.entry("mediumint", "integer"),
          Map.entry("mediumint unsigned", "integer"),
          Map.entry("int unsigned", "bigint"),
          Map.entry("integer unsigned", "bigint"),
          Map.entry("bigint unsigned", "numeric(20,0)"),
          Map.entry("year", "integer"),
          Map.entry("enum", "text"),
          Map.entry("set", "text"),
          Map.entry("json", "text"),
          Map.entry("tinytext", "text"),
          Map.entry("text", "text"),
          Map.entry("mediumtext", "text"),
          Map.entry("longtext", "text"));

  private static final Map<String, String> OF_OTHERS =
      Map.ofEntries(
          Map.entry("uniqueidentifier", "uuid"),
          Map.entry("datetimeoffset", "timestamp with time zone"),
          Map.entry("money", "numeric(19,4)"),
          Map.entry("smallmoney", "numeric(10,4)"),
          Map.entry("timestamp with time zone", "timestamp with time zone"),
          Map.entry("binary_float", "real"),
          Map.entry("binary_double", "double precision"));

  /** All that PostgreSQL has of a second; it rounds what has more. */
  private static final int TIME_DIGITS = 6;

  /** The number that Oracle's driver has for its type with a time zone. */
  private static final int ORACLES_ZONED = -101;

  private ColumnTarget() {}

  /**
   * @param typeName as the driver names it
   * @param dataType a constant of {@link Types}, or a number of the driver's own
   * @param size digits or characters; 0 if unknown
   */
  static Optional<String> of(
      KnownConnector connector, String typeName, int dataType, int size, int digits) {
    String name = typeName.toLowerCase(Locale.ROOT).replaceAll("\\(.*?\\)", "");
    if (connector == KnownConnector.ORACLE && name.equals("float")) {
      // A number of up to 126 binary digits.
      return Optional.of("numeric");
    }
    String named =
        switch (connector) {
          case POSTGRESQL -> OF_POSTGRESQL.get(name);
          case MARIADB, MYSQL -> OF_MARIADB.get(name);
          case SQLSERVER, ORACLE, DB2 -> OF_OTHERS.get(name);
        };
    if (digits > TIME_DIGITS && (isTime(dataType) || name.startsWith("datetime"))) {
      return Optional.empty();
    }
    return named != null
        ? Optional.of(named)
        : Optional.ofNullable(numbered(connector, name, dataType, size, digits));
  }

  private static boolean isTime(int dataType) {
    return dataType == Types.TIME
        || dataType == Types.TIMESTAMP
        || dataType == Types.TIMESTAMP_WITH_TIMEZONE
        || dataType == ORACLES_ZONED;
  }

  private static String numbered(
      KnownConnector connector, String name, int dataType, int size, int digits) {
    boolean postgres = connector == KnownConnector.POSTGRESQL;
    return switch (dataType) {
      case Types.BIT, Types.BOOLEAN -> postgres || size > 1 ? null : "boolean";
      case Types.TINYINT, Types.SMALLINT -> "smallint";
      case Types.INTEGER -> "integer";
      case Types.BIGINT -> postgres && !name.equals("int8") ? null : "bigint";
      case Types.REAL -> "real";
      case Types.FLOAT, Types.DOUBLE ->
          postgres && !name.equals("float8") ? null : "double precision";
      case Types.DECIMAL, Types.NUMERIC ->
          size < 1 || size > MOST_DIGITS || digits < 0 || digits > size
              ? "numeric"
              : "numeric(%d,%d)".formatted(size, digits);
      case Types.CHAR, Types.NCHAR -> characters("character", size);
      case Types.VARCHAR, Types.NVARCHAR ->
          postgres && !name.equals("varchar") ? null : characters("character varying", size);
      case Types.LONGVARCHAR, Types.LONGNVARCHAR, Types.CLOB, Types.NCLOB -> "text";
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> "bytea";
      case Types.DATE -> connector == KnownConnector.ORACLE ? time("timestamp", 0) : "date";
      case Types.TIME -> postgres && !name.equals("time") ? null : time("time", digits);
      case Types.TIMESTAMP ->
          // The driver of the binary log's databases numbers both of their types like this.
          name.equals("timestamp")
                  && (connector == KnownConnector.MARIADB || connector == KnownConnector.MYSQL)
              ? time("timestamp", digits).replace("without", "with")
              : time("timestamp", digits);
      case Types.TIMESTAMP_WITH_TIMEZONE -> "timestamp with time zone";
      default -> null;
    };
  }

  private static String characters(String type, int size) {
    return size < 1 || size > LONGEST ? "text" : "%s(%d)".formatted(type, size);
  }

  /** With six digits no number is printed. */
  private static String time(String type, int digits) {
    return digits < 1 || digits == TIME_DIGITS
        ? type + " without time zone"
        : "%s(%d) without time zone".formatted(type, digits);
  }
}
