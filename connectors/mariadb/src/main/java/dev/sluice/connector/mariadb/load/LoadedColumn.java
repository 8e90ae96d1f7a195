package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.CalendarDay;
import dev.sluice.connector.mariadb.type.RefusedValue;
import java.util.Optional;

/**
 * How a column is selected, and how its bytes are converted. The result is the text that the log's
 * decoder makes for the same value. Immutable.
 *
 * @param key whether it belongs to the table's key
 * @param values what happens to values that PostgreSQL does not have
 * @param expression returns a text, or bytes for {@link Form#BYTES}
 */
public record LoadedColumn(
    MariadbColumn column, boolean key, ValuePolicy values, String expression, Form form) {

  /** The form of the selected bytes. */
  public enum Form {
    /** Any text, in UTF-8. */
    TEXT,
    /** Digits and signs, which are never escaped. */
    PLAIN,
    /** A date. */
    DATE,
    /** A time, without zeros at the end of the fraction. */
    TIME,
    /** The same after a date. */
    DATE_AND_TIME,
    /** The same in UTC, with its offset added. */
    TIME_IN_UTC,
    /** Bytes, written in hexadecimal. */
    BYTES;

    boolean beginsWithDate() {
      return this == DATE || this == DATE_AND_TIME || this == TIME_IN_UTC;
    }
  }

  /** The server accepts dates with parts that are 0, and a 31st in a month of 30 days. */
  private static final String POSSIBLE =
      "IF(YEAR(%1$s) = 0 OR MONTH(%1$s) = 0 OR DAYOFMONTH(%1$s) = 0"
          + " OR DAYOFMONTH(%1$s) > DAYOFMONTH(LAST_DAY(%1$s)), NULL, %2$s)";

  /** A result that is too long for the server is NULL. */
  private static final String WITHOUT_ZEROS =
      "COALESCE(LEFT(REPLACE(CONVERT(%1$s USING utf8mb4), CHAR(0 USING utf8mb4), ''), %2$d),"
          + " LEFT(%1$s, %2$d))";

  /** A column of a table, with the task's policy for its values. */
  public static LoadedColumn of(MariadbTable table, MariadbColumn column, ValuePolicy policy) {
    boolean key = table.keyColumns().contains(column.name());
    ValuePolicy values = policy.ofColumn(key);
    LoadedColumn stored = of(column);
    String expression =
        stored.form().beginsWithDate() && values.makesNulls()
            ? POSSIBLE.formatted(TableId.quote(column.name()), stored.expression())
            : stored.expression();
    return new LoadedColumn(column, key, values, expression, stored.form());
  }

  /** A column whose values are selected unchanged. */
  public static LoadedColumn of(MariadbColumn column) {
    String name = TableId.quote(column.name());
    return switch (column.dataType()) {
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set" ->
          stored(column, name, Form.TEXT);
      // MySQL's own type JSON, for which the driver returns no bytes; MariaDB's is a text.
      case "json" ->
          stored(column, column.flavour() == Flavour.MYSQL ? text(name) : name, Form.TEXT);
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
          stored(column, name, Form.BYTES);
      // Without the fixed number of digits that a type such as DOUBLE(12,3) shows.
      case "float", "double" -> stored(column, number(column.flavour(), name), Form.PLAIN);
      case "bit" ->
          stored(column, "LPAD(BIN(" + name + " + 0), " + bits(column) + ", '0')", Form.PLAIN);
      case "date" -> stored(column, text(name), Form.DATE);
      case "timestamp" -> stored(column, text(name), Form.TIME_IN_UTC);
      case "datetime" -> stored(column, text(name), Form.DATE_AND_TIME);
      case "time" -> stored(column, text(name), Form.TIME);
      default -> stored(column, text(column.isZerofill() ? name + " + 0" : name), Form.PLAIN);
    };
  }

  private static LoadedColumn stored(MariadbColumn column, String expression, Form form) {
    return new LoadedColumn(column, false, ValuePolicy.REFUSE, expression, form);
  }

  /** The same column, cut to this many characters or bytes. */
  public LoadedColumn cut(long limit) {
    String cut =
        form == Form.TEXT && values.removesCharacters()
            ? WITHOUT_ZEROS.formatted(expression, limit)
            : "LEFT(" + expression + ", " + limit + ")";
    return new LoadedColumn(column, key, values, cut, form);
  }

  /**
   * The problem of a value that PostgreSQL does not have.
   *
   * @param row the row with the value, for the message
   */
  Optional<Problem> refusal(byte[] value, String row) {
    if (form.beginsWithDate()) {
      CalendarDay day = CalendarDay.before(value);
      return day.exists()
          ? Optional.empty()
          : Optional.of(RefusedValue.date(column.declared().toString(), day, row));
    }
    if (form != Form.TEXT || values.removesCharacters()) {
      return Optional.empty();
    }
    for (byte each : value) {
      if (each == 0) {
        return Optional.of(RefusedValue.zeroCharacter(column.declared().toString(), row));
      }
    }
    return Optional.empty();
  }

  /** MySQL's text of a number has at most 22 characters, and may then be another number. */
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
