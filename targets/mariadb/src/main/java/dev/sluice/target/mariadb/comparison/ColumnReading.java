package dev.sluice.target.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.comparison.mariadb.FloatingText;
import dev.sluice.connector.comparison.mariadb.PrintedColumn;
import dev.sluice.connector.comparison.mariadb.PrintedColumn.Print;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.value.ColumnType;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How the values of a column are read as those of one of PostgreSQL's types. A column has several
 * ways if it takes values of several types, and their texts differ. Immutable.
 *
 * @param type the type of PostgreSQL
 * @param order the name that PostgreSQL's side gives to the same order of values
 */
record ColumnReading(String type, Optional<String> order, PrintedColumn printed) {

  /** All ways to read a column, its own type first; none if its type has no counterpart. */
  static List<ColumnReading> of(TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    String name = TableId.quote(column.name());
    Print text = PrintedColumn::utf8;
    return switch (type.name()) {
      case "tinyint", "smallint", "mediumint", "int", "bigint" -> whole(column, type, name);
      case "decimal" -> decimal(type, name);
      case "float" ->
          type.arguments().isEmpty()
              ? one(
                  "real",
                  "float4",
                  value(
                      "CAST(CAST(%s AS DOUBLE) AS CHAR)".formatted(name),
                      single(),
                      TargetKeyText.ofFloat(name)))
              : List.of();
      case "double" ->
          type.arguments().isEmpty()
              ? one(
                  "double precision",
                  "float8",
                  value(
                      "CAST(%s AS CHAR)".formatted(name), twofold(), TargetKeyText.ofDouble(name)))
              : List.of();
      case "char" -> padded(type, name);
      case "varchar", "tinytext", "text", "mediumtext", "longtext" -> text(type, name);
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
          one("bytea", "bytea", bytes(name));
      case "bit" -> bits(type, name);
      case "date" -> one("date", "date", value(characters(name), text, TargetKeyText.ofDate(name)));
      case "datetime" ->
          List.of(
              new ColumnReading(
                  "timestamp(%d) without time zone".formatted(type.number(0, 0)),
                  Optional.of("timestamp"),
                  time(name, "")),
              new ColumnReading(
                  "timestamp with time zone", Optional.of("timestamptz"), time(name, "+00")));
      case "timestamp" ->
          one(
              "timestamp(%d) with time zone".formatted(type.number(0, 0)),
              "timestamptz",
              time(name, "+00"));
      case "time" ->
          List.of(
              new ColumnReading("interval", Optional.of("interval"), timeOfDay(name)),
              new ColumnReading("time without time zone", Optional.of("time"), timeOfDay(name)));
      case "uuid" ->
          List.of(
              new ColumnReading(
                  "uuid",
                  // The server sorts by other parts of the value first.
                  Optional.empty(),
                  value(characters(name), text, TargetKeyText.ofUuid(name))));
      default -> List.of();
    };
  }

  private static List<ColumnReading> one(String type, String order, PrintedColumn printed) {
    return List.of(new ColumnReading(type, Optional.of(order), printed));
  }

  private static PrintedColumn value(String expression, Print print, TargetKeyText key) {
    return new PrintedColumn(expression, print, false, false, key);
  }

  private static PrintedColumn text(String name, Print print, TargetKeyText key) {
    return new PrintedColumn(name, print, false, true, key);
  }

  private static String characters(String name) {
    return "CAST(" + name + " AS CHAR)";
  }

  private static List<ColumnReading> whole(TargetColumn column, ColumnType type, String name) {
    boolean unsigned = column.storedType().contains("unsigned");
    String own =
        switch (type.name()) {
          case "tinyint", "smallint" -> unsigned ? "integer" : "smallint";
          case "bigint" -> unsigned ? "numeric(20,0)" : "bigint";
          default -> unsigned ? "bigint" : "integer";
        };
    // Without the zeros that a column may show in front.
    PrintedColumn number =
        value(characters(name + " + 0"), PrintedColumn::utf8, TargetKeyText.ofNumber(name));
    return List.of(
        new ColumnReading(
            own, Optional.of(own.startsWith("numeric") ? "numeric" : "integer"), number),
        new ColumnReading("oid", Optional.of("oid"), number),
        new ColumnReading(
            "boolean",
            Optional.of("bool"),
            value(number.expression(), ColumnReading::truth, TargetKeyText.ofBoolean(name))));
  }

  /** A number that is no boolean of the source stays one. */
  private static String truth(byte[] selected) {
    String number = PrintedColumn.utf8(selected);
    return switch (number) {
      case "0" -> "f";
      case "1" -> "t";
      default -> number;
    };
  }

  private static List<ColumnReading> decimal(ColumnType type, String name) {
    int scale = type.number(1, 0);
    PrintedColumn printed =
        value(
            // Without the zeros that a column may show in front.
            characters(name + " + 0"), PrintedColumn::utf8, TargetKeyText.ofDecimal(name, scale));
    ColumnReading own =
        new ColumnReading(
            "numeric(%d,%d)".formatted(type.number(0, 10), scale), Optional.of("numeric"), printed);
    return scale > 0
        ? List.of(own)
        : Stream.concat(
                Stream.of(own, new ColumnReading("oid", Optional.of("oid"), printed)),
                Stream.of("smallint", "integer", "bigint")
                    .map(of -> new ColumnReading(of, Optional.of("integer"), printed)))
            .toList();
  }

  private static Print single() {
    return selected -> FloatingText.of((float) Double.parseDouble(PrintedColumn.utf8(selected)));
  }

  private static Print twofold() {
    return selected -> FloatingText.of(Double.parseDouble(PrintedColumn.utf8(selected)));
  }

  /** The server keeps no blanks at the end; PostgreSQL prints all of them. */
  private static List<ColumnReading> padded(ColumnType type, String name) {
    int length = type.number(0, 1);
    Print padding = selected -> TargetKeyText.padded(PrintedColumn.utf8(selected), length);
    return Stream.concat(
            Stream.of(
                new ColumnReading(
                    "character(%d)".formatted(length),
                    byBytes(type).map(order -> "bpchar " + order),
                    text(name, padding, TargetKeyText.ofPadded(name, length)))),
            uuid(type, name))
        .toList();
  }

  private static List<ColumnReading> text(ColumnType type, String name) {
    return Stream.concat(
            Stream.of(
                new ColumnReading(
                    "text",
                    byBytes(type).map(order -> "text " + order),
                    text(name, PrintedColumn::utf8, TargetKeyText.ofText(name)))),
            uuid(type, name))
        .toList();
  }

  /** In the order of bytes the texts of uuids are in the order of their values. */
  private static Stream<ColumnReading> uuid(ColumnType type, String name) {
    return type.collation().orElseThrow().endsWith("_bin")
        ? Stream.of(
            new ColumnReading(
                "uuid",
                Optional.of("uuid"),
                text(name, PrintedColumn::utf8, TargetKeyText.ofText(name))))
        : Stream.empty();
  }

  /** Other binary collations ignore blanks at the end. */
  private static Optional<String> byBytes(ColumnType type) {
    return type.collation().filter("utf8mb4_nopad_bin"::equals).map(any -> "bytes of UTF8");
  }

  private static PrintedColumn bytes(String name) {
    return new PrintedColumn(
        name,
        selected -> "\\x" + HexFormat.of().formatHex(selected),
        true,
        true,
        TargetKeyText.ofBytes(name));
  }

  private static List<ColumnReading> bits(ColumnType type, String name) {
    int width = type.number(0, 1);
    String digits = "LPAD(BIN(%s + 0), %d, '0')".formatted(name, width);
    ColumnReading own =
        new ColumnReading(
            "bit(%d)".formatted(width),
            Optional.of("bit"),
            value(digits, PrintedColumn::utf8, TargetKeyText.ofBits(name)));
    return width > 1
        ? List.of(own)
        : List.of(
            own,
            new ColumnReading(
                "boolean",
                Optional.of("bool"),
                value(digits, ColumnReading::truth, TargetKeyText.ofBoolean(name))));
  }

  private static PrintedColumn time(String name, String zone) {
    return value(
        characters(name),
        selected -> PrintedColumn.withoutZeros(PrintedColumn.utf8(selected)) + zone,
        TargetKeyText.ofTimestamp(name));
  }

  private static PrintedColumn timeOfDay(String name) {
    return value(
        characters(name),
        selected -> PrintedColumn.withoutZeros(PrintedColumn.utf8(selected)),
        TargetKeyText.ofTime(name));
  }
}
