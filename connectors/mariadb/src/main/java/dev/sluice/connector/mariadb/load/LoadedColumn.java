package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;

/**
 * How a column is selected, and what its bytes become. Together they make the text that the log's
 * decoder makes of the same value. Immutable.
 *
 * @param expression gives a text, or bytes for {@link Form#BYTES}
 */
public record LoadedColumn(String expression, Form form) {

  /** What the selected bytes are. */
  public enum Form {
    /** Text of people, in UTF-8. */
    TEXT,
    /** Digits and signs, which are never escaped. */
    PLAIN,
    /** A date with a time, or a time, of which zeros at the end of the fraction are left out. */
    TIME,
    /** The same in UTC, with its offset added. */
    TIME_IN_UTC,
    /** Bytes, written in hexadecimal. */
    BYTES
  }

  public static LoadedColumn of(MariadbColumn column) {
    String name = TableId.quote(column.name());
    return switch (column.dataType()) {
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json" ->
          new LoadedColumn(name, Form.TEXT);
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
          new LoadedColumn(name, Form.BYTES);
      // Without the digits that a type such as DOUBLE(12,3) shows.
      case "float", "double" -> new LoadedColumn(text("CAST(" + name + " AS DOUBLE)"), Form.PLAIN);
      case "bit" ->
          new LoadedColumn("LPAD(BIN(" + name + " + 0), " + bits(column) + ", '0')", Form.PLAIN);
      case "timestamp" -> new LoadedColumn(text(name), Form.TIME_IN_UTC);
      case "datetime", "time" -> new LoadedColumn(text(name), Form.TIME);
      default -> new LoadedColumn(text(column.isZerofill() ? name + " + 0" : name), Form.PLAIN);
    };
  }

  /** The same of which at most so many characters, or bytes, are read. */
  LoadedColumn cut(long limit) {
    return new LoadedColumn("LEFT(" + expression + ", " + limit + ")", form);
  }

  private static String text(String expression) {
    return "CAST(" + expression + " AS CHAR)";
  }

  private static String bits(MariadbColumn column) {
    return column.columnType().replaceAll("\\D", "");
  }
}
