package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.load.LoadedColumn;
import dev.sluice.connector.mariadb.load.LoadedColumn.Form;
import dev.sluice.connector.mariadb.type.FloatingText;
import dev.sluice.connector.mariadb.type.Inet6Text;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;

/**
 * How a column is selected, and what text PostgreSQL prints of the value once the target has it.
 * Immutable.
 *
 * @param expression in MariaDB's SQL
 * @param bytes whether the target's type is {@code bytea}
 */
record PrintedColumn(MariadbColumn column, String expression, Print print, boolean bytes) {
  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint", "year");
  private static final Set<String> TARGET_INTEGERS =
      Set.of("smallint", "integer", "bigint", "numeric");

  /** Makes PostgreSQL's text of the selected bytes. */
  private interface Print {
    String of(byte[] selected);
  }

  /**
   * A compared column.
   *
   * @throws NotReadable if it is not known what the target's type makes of the value
   */
  static PrintedColumn of(TableId table, MariadbColumn column, ComparedValue compared) {
    if (compared.as().isPresent()) {
      return as(table, column, compared.as().get());
    }
    PrintedColumn printed = of(column);
    return compared.cut().types().containsKey(column.name())
        ? new PrintedColumn(
            column,
            "LEFT(%s, %d)".formatted(printed.expression, compared.cut().limit()),
            printed.print,
            printed.bytes)
        : printed;
  }

  private static PrintedColumn of(MariadbColumn column) {
    LoadedColumn loaded = LoadedColumn.of(column);
    Print print =
        switch (column.dataType()) {
          case "float" -> selected -> FloatingText.of((float) Double.parseDouble(utf8(selected)));
          case "double" -> selected -> FloatingText.of(Double.parseDouble(utf8(selected)));
          case "year" -> selected -> Integer.toString(Integer.parseInt(utf8(selected)));
          case "inet6" -> Inet6Text::of;
          default -> of(loaded.form());
        };
    String expression =
        column.dataType().equals("inet6")
            ? "CAST(%s AS BINARY(16))".formatted(TableId.quote(column.name()))
            : loaded.expression();
    return new PrintedColumn(column, expression, print, loaded.form() == Form.BYTES);
  }

  private static Print of(Form form) {
    return switch (form) {
      case TEXT, PLAIN -> PrintedColumn::utf8;
      case TIME -> selected -> withoutZeros(utf8(selected));
      case TIME_IN_UTC -> selected -> withoutZeros(utf8(selected)) + "+00";
      case BYTES -> selected -> "\\x" + HexFormat.of().formatHex(selected);
    };
  }

  /** As a type of the target that Sluice did not choose. */
  private static PrintedColumn as(TableId table, MariadbColumn column, String type) {
    PrintedColumn own = of(column);
    String mapped = column.mappedType();
    if (type.equals("boolean") && INTEGERS.contains(column.dataType())) {
      return new PrintedColumn(
          column, own.expression, value -> own.text(value).equals("0") ? "f" : "t", false);
    }
    boolean sameText =
        INTEGERS.contains(column.dataType()) && TARGET_INTEGERS.contains(type)
            || mapped.replaceFirst("\\(.*?\\)", "").equals(type);
    if (sameText) {
      return own;
    }
    throw new NotReadable(
        Reason.REFUSED,
        "table %s, column %s: %s is %s on the target, and it is not known what that prints; expected %s"
            .formatted(table, column.name(), column.columnType(), type, mapped),
        null);
  }

  /** PostgreSQL's text; null for NULL. */
  String text(byte[] selected) {
    return selected == null ? null : print.of(selected);
  }

  /** The same text of a value whose text somebody else has. */
  String printedAgain(String given) {
    return switch (column.dataType()) {
      case "float" -> FloatingText.of(Float.parseFloat(given));
      case "double" -> FloatingText.of(Double.parseDouble(given));
      default -> given;
    };
  }

  private static String utf8(byte[] selected) {
    return new String(selected, StandardCharsets.UTF_8);
  }

  private static String withoutZeros(String time) {
    if (time.indexOf('.') < 0) {
      return time;
    }
    return time.replaceFirst("\\.?0+$", "");
  }
}
