package dev.sluice.connector.mariadb.type;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.util.Optional;

/**
 * The type of PostgreSQL that each type of MariaDB goes to, printed as {@code format_type} prints
 * it. Every value of a column fits into its type, except those that the task file has a {@link
 * ValuePolicy} for. Stateless.
 */
public final class PostgresType {
  private PostgresType() {}

  /**
   * The type for a column.
   *
   * @throws SluiceException.Fatal if there is none
   */
  public static String of(DeclaredColumn column) {
    return find(column).orElseThrow(() -> new SluiceException.Fatal(withoutType(column)));
  }

  /** The problem of a column whose type cannot be replicated; empty if it can be. */
  public static Optional<Problem> problem(DeclaredColumn column) {
    return find(column).isPresent() ? Optional.empty() : Optional.of(withoutType(column));
  }

  /**
   * The type for a target that has one for what {@code time} keeps: it is never longer there than a
   * time of a day can be. Any other type is the same.
   *
   * @param mapped the type for PostgreSQL
   */
  public static String ofSameKind(String mapped) {
    return mapped.startsWith("interval")
        ? mapped.replaceFirst("interval", "time") + " without time zone"
        : mapped;
  }

  private static Optional<String> find(DeclaredColumn column) {
    if (column.isCompressed()) {
      return Optional.empty();
    }
    return Optional.ofNullable(
        switch (column.dataType()) {
          case "tinyint", "year" -> "smallint";
          case "smallint" -> column.isUnsigned() ? "integer" : "smallint";
          case "mediumint" -> "integer";
          case "int" -> column.isUnsigned() ? "bigint" : "integer";
          case "bigint" -> column.isUnsigned() ? "numeric(20,0)" : "bigint";
          case "decimal" -> decimal(column.precision(), column.scale());
          case "float" -> "real";
          case "double" -> "double precision";
          case "bit" -> bit(column.precision());
          case "date" -> "date";
          case "time" -> time(column.fraction());
          case "datetime" -> datetime(column.fraction());
          case "timestamp" -> timestamp(column.fraction());
          case "char", "varchar" -> text(column.length());
          case "tinytext", "text", "mediumtext", "longtext", "enum", "set" -> "text";
          case "json" -> "json";
          case "binary",
              "varbinary",
              "tinyblob",
              "blob",
              "mediumblob",
              "longblob",
              "geometry",
              "point",
              "linestring",
              "polygon",
              "multipoint",
              "multilinestring",
              "multipolygon",
              "geometrycollection",
              "geomcollection" ->
              "bytea";
          case "uuid" -> "uuid";
          case "inet4", "inet6" -> "inet";
          default -> null;
        });
  }

  static String decimal(int precision, int scale) {
    return "numeric(" + precision + "," + scale + ")";
  }

  static String bit(int bits) {
    return "bit(" + bits + ")";
  }

  static String time(int fraction) {
    return "interval(" + fraction + ")";
  }

  static String datetime(int fraction) {
    return "timestamp(" + fraction + ") without time zone";
  }

  static String timestamp(int fraction) {
    return "timestamp(" + fraction + ") with time zone";
  }

  /** A type of PostgreSQL has one character at least; {@code VARCHAR(0)} has only empty values. */
  private static String text(long length) {
    return "character varying(" + Math.max(1, length) + ")";
  }

  private static Problem withoutType(DeclaredColumn column) {
    return new Problem(
        column.toString(),
        "the type " + column.columnType(),
        "a type that has a counterpart in PostgreSQL",
        "Exclude the table, or change the column's type on the source");
  }
}
