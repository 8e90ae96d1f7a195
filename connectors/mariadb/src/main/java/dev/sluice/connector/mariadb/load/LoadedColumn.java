package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.server.Flavour;

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
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set" ->
          new LoadedColumn(name, Form.TEXT);
      // MySQL's own type, of which the driver gives no bytes; MariaDB's is a text.
      case "json" ->
          new LoadedColumn(column.flavour() == Flavour.MYSQL ? text(name) : name, Form.TEXT);
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
      case "float", "double" -> new LoadedColumn(number(column.flavour(), name), Form.PLAIN);
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

  /** MySQL gives a text of at most 22 characters, some of which would be other numbers. */
  private static String number(Flavour flavour, String name) {
    String number = "CAST(" + name + " AS DOUBLE)";
    return text(flavour == Flavour.MYSQL ? "CAST(" + number + " AS JSON)" : number);
  }

  private static String text(String expression) {
    return "CAST(" + expression + " AS CHAR)";
  }

  private static String bits(MariadbColumn column) {
    return column.columnType().replaceAll("\\D", "");
  }
}
