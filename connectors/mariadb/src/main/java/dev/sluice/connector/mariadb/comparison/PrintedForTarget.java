package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.comparison.printed.FloatingText;
import dev.sluice.connector.comparison.printed.KeyText;
import dev.sluice.connector.comparison.printed.PrintedColumn;
import dev.sluice.connector.comparison.printed.PrintedTable;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.load.LoadedColumn;
import dev.sluice.connector.mariadb.load.LoadedColumn.Form;
import dev.sluice.connector.mariadb.load.MariadbLiteral;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.Inet6Text;
import java.util.HexFormat;
import java.util.Set;

/**
 * A table of the source, whose values are printed as the target has them after they were applied.
 * Immutable.
 */
record PrintedForTarget(MariadbTable described, ValuePolicy values) implements PrintedTable {
  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint", "year");
  private static final Set<String> TARGET_INTEGERS =
      Set.of("smallint", "integer", "bigint", "numeric");

  private static final Set<String> OF_ANY_LENGTH =
      Set.of(
          "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json");

  @Override
  public SideTable table() {
    return MariadbSideTable.of(described);
  }

  @Override
  public boolean takesNull(String column) {
    return described.column(column).map(MariadbColumn::nullable).orElse(false);
  }

  @Override
  public PrintedColumn column(ComparedRows rows, ComparedValue value) {
    MariadbColumn column =
        described
            .column(value.column())
            .orElseThrow(() -> new IllegalStateException("BUG: no column " + value.column()));
    if (value.as().isPresent()) {
      requireFound(rows, value);
      return as(rows.table(), LoadedColumn.of(described, column, values), value.as().get());
    }
    LoadedColumn loaded = LoadedColumn.of(described, column, values);
    return of(
        value.cut().types().containsKey(column.name()) ? loaded.cut(value.cut().limit()) : loaded);
  }

  /**
   * Requires that a key column has the same text on both sides; otherwise its row would not be
   * found.
   */
  private static void requireFound(ComparedRows rows, ComparedValue value) {
    if (rows.key().contains(value) && value.as().filter("boolean"::equals).isPresent()) {
      throw new NotReadable(
          Reason.REFUSED,
          "table %s, column %s of its key: boolean on the target; expected a whole number there"
              .formatted(rows.table(), value.column()),
          null);
    }
  }

  private static PrintedColumn of(LoadedColumn loaded) {
    MariadbColumn column = loaded.column();
    PrintedColumn.Print print =
        switch (column.dataType()) {
          case "float" ->
              selected -> FloatingText.of((float) Double.parseDouble(PrintedColumn.utf8(selected)));
          case "double" ->
              selected -> FloatingText.of(Double.parseDouble(PrintedColumn.utf8(selected)));
          case "year" ->
              selected -> Integer.toString(Integer.parseInt(PrintedColumn.utf8(selected)));
          case "inet6" -> Inet6Text::of;
          default -> of(loaded.form(), loaded.values());
        };
    String expression =
        column.dataType().equals("inet6")
            ? "CAST(%s AS BINARY(16))".formatted(TableId.quote(column.name()))
            : loaded.expression();
    boolean bytes = loaded.form() == Form.BYTES;
    return new PrintedColumn(
        expression,
        print,
        bytes,
        bytes || OF_ANY_LENGTH.contains(column.dataType()),
        new Key(column));
  }

  private static PrintedColumn.Print of(Form form, ValuePolicy values) {
    return switch (form) {
      case TEXT ->
          values.removesCharacters()
              ? selected -> PrintedColumn.utf8(selected).replace("\0", "")
              : PrintedColumn::utf8;
      case PLAIN, DATE -> PrintedColumn::utf8;
      case TIME, DATE_AND_TIME ->
          selected -> PrintedColumn.withoutZeros(PrintedColumn.utf8(selected));
      case TIME_IN_UTC ->
          selected -> PrintedColumn.withoutZeros(PrintedColumn.utf8(selected)) + "+00";
      case BYTES -> selected -> "\\x" + HexFormat.of().formatHex(selected);
    };
  }

  /** Prints a value for a type that Sluice did not choose on the target. */
  private static PrintedColumn as(TableId table, LoadedColumn loaded, String type) {
    MariadbColumn column = loaded.column();
    PrintedColumn own = of(loaded);
    String mapped = column.mappedType();
    if (type.equals("boolean") && INTEGERS.contains(column.dataType())) {
      return new PrintedColumn(
          own.expression(),
          value -> own.text(value).equals("0") ? "f" : "t",
          false,
          false,
          own.key());
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

  /** The text of keys, as the journal and the target have them. */
  private record Key(MariadbColumn column) implements KeyText {
    @Override
    public String printed(String given) {
      // The target may have a key that this server cannot have, such as NaN.
      if (!isValue(given)) {
        return given;
      }
      return switch (column.dataType()) {
        case "float" -> FloatingText.of(Float.parseFloat(given));
        case "double" -> FloatingText.of(Double.parseDouble(given));
        default -> given;
      };
    }

    @Override
    public boolean isValue(String text) {
      return MariadbLiteral.isValue(column, text);
    }

    @Override
    public String constant(String text) {
      return MariadbLiteral.of(column, text);
    }

    @Override
    public String isExactly(String text) {
      return MariadbLiteral.isExactly(column, text);
    }
  }
}
