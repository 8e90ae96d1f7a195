package dev.sluice.target.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.comparison.printed.FloatingText;
import dev.sluice.connector.comparison.printed.PrintedColumn;
import dev.sluice.connector.comparison.printed.PrintedColumn.Print;
import dev.sluice.connector.comparison.printed.PrintedText;
import dev.sluice.connector.comparison.printed.PrintedType;
import dev.sluice.connector.comparison.printed.TypeReading;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The SQL that reads the values of a column in the form of PostgreSQL's types. Pure. */
final class ColumnReading {
  private static final String NUMERIC = "numeric";

  private ColumnReading() {}

  /** All ways to read a column, its own type first; none if its type has no counterpart. */
  static List<TypeReading> of(TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    String name = TableId.quote(column.name());
    return switch (type.name()) {
      case "tinyint", "smallint", "mediumint", "int", "bigint" -> whole(column, type, name);
      case "decimal" -> decimal(type, name);
      case "float" ->
          type.arguments().isEmpty()
              ? List.of(
                  TypeReading.of(
                      "real",
                      "float4",
                      value(
                          "CAST(CAST(%s AS DOUBLE) AS CHAR)".formatted(name),
                          single(),
                          TargetKeyText.ofFloat(name))))
              : List.of();
      case "double" -> type.arguments().isEmpty() ? floating(name) : List.of();
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext" -> texts(type, name);
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
          List.of(TypeReading.of("bytea", "bytea", bytes(name)));
      case "bit" -> bits(type, name);
      case "date" ->
          List.of(
              TypeReading.of(
                  "date",
                  "date",
                  value(characters(name), PrintedColumn::utf8, TargetKeyText.ofDate(name))));
      case "datetime" ->
          List.of(
              TypeReading.of("timestamp without time zone", "timestamp", time(name, "")),
              TypeReading.of("timestamp with time zone", "timestamptz", time(name, "+00")));
      case "timestamp" ->
          List.of(TypeReading.of("timestamp with time zone", "timestamptz", time(name, "+00")));
      case "time" ->
          List.of(
              TypeReading.of("interval", "interval", timeOfDay(name)),
              TypeReading.of("time without time zone", "time", timeOfDay(name)));
      case "uuid" ->
          List.of(
              new TypeReading(
                  "uuid",
                  // The server does not sort UUIDs by their text.
                  Optional.empty(),
                  always(
                      value(characters(name), PrintedColumn::utf8, TargetKeyText.ofUuid(name)))));
      default -> List.of();
    };
  }

  private static Function<PrintedType, Optional<PrintedColumn>> always(PrintedColumn printed) {
    return any -> Optional.of(printed);
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

  private static List<TypeReading> whole(TargetColumn column, ColumnType type, String name) {
    boolean unsigned = column.storedType().contains("unsigned");
    String own =
        switch (type.name()) {
          case "tinyint", "smallint" -> unsigned ? "integer" : "smallint";
          case "bigint" -> unsigned ? "numeric(20,0)" : "bigint";
          default -> unsigned ? "bigint" : "integer";
        };
    List<TypeReading> readings = numbers(own, name);
    readings.add(
        TypeReading.of(
            "boolean",
            "bool",
            value(number(name), ColumnReading::truth, TargetKeyText.ofBoolean(name))));
    return readings;
  }

  /** A number other than 0 and 1 is no boolean of the source, and stays a number. */
  private static String truth(byte[] selected) {
    String number = PrintedColumn.utf8(selected);
    return switch (number) {
      case "0" -> "f";
      case "1" -> "t";
      default -> number;
    };
  }

  private static List<TypeReading> decimal(ColumnType type, String name) {
    return numbers("numeric(%d,%d)".formatted(type.number(0, 10), type.number(1, 0)), name);
  }

  /** For exact numbers. The modifiers of a type say how many digits the fraction has. */
  private static List<TypeReading> numbers(String own, String name) {
    List<TypeReading> readings = new ArrayList<>();
    for (String type : List.of(own, "smallint", "integer", "bigint", "oid", NUMERIC)) {
      readings.add(
          new TypeReading(
              type,
              Optional.of(
                  type.startsWith(NUMERIC) ? NUMERIC : type.equals("oid") ? "oid" : "integer"),
              // Without modifiers each value has digits of its own.
              of ->
                  of.name().equals(NUMERIC) && of.first() < 0
                      ? Optional.empty()
                      : Optional.of(scaled(name, of.second()))));
    }
    return readings;
  }

  private static PrintedColumn scaled(String name, int scale) {
    int digits = Math.max(0, scale);
    return value(
        number(name),
        selected -> PrintedText.scaled(PrintedColumn.utf8(selected), digits),
        TargetKeyText.ofNumber(name, digits));
  }

  /** Without the leading zeros that a column may show. */
  private static String number(String name) {
    return characters(name + " + 0");
  }

  private static Print single() {
    return selected -> FloatingText.of((float) Double.parseDouble(PrintedColumn.utf8(selected)));
  }

  private static List<TypeReading> floating(String name) {
    String number = characters(name);
    return List.of(
        TypeReading.of(
            "double precision",
            "float8",
            value(
                number,
                selected -> FloatingText.of(Double.parseDouble(PrintedColumn.utf8(selected))),
                TargetKeyText.ofDouble(name, FloatingText::of))),
        new TypeReading(
            "real",
            // The order of values that lie between two values of the source's type is not known.
            Optional.empty(),
            always(
                value(
                    number,
                    selected ->
                        FloatingText.ofSingle(Double.parseDouble(PrintedColumn.utf8(selected))),
                    TargetKeyText.ofDouble(name, FloatingText::ofSingle)))));
  }

  /** The server does not keep trailing spaces of a CHAR; PostgreSQL prints all of them. */
  private static List<TypeReading> texts(ColumnType type, String name) {
    List<TypeReading> readings = new ArrayList<>();
    readings.add(
        new TypeReading(
            TypeReading.TEXT,
            byBytes(type).map(order -> "text " + order),
            always(text(name, PrintedColumn::utf8, TargetKeyText.ofText(name)))));
    readings.add(
        new TypeReading(
            "uuid",
            // Sorted by bytes, the texts of UUIDs are in the order of their values.
            type.collation().filter(collation -> collation.endsWith("_bin")).map(any -> "uuid"),
            always(text(name, PrintedColumn::utf8, TargetKeyText.ofText(name)))));
    if (type.name().equals("char")) {
      readings.add(
          new TypeReading(
              "character",
              byBytes(type).map(order -> "bpchar " + order),
              of -> Optional.of(padded(name, Math.max(1, of.first())))));
    }
    return readings;
  }

  private static PrintedColumn padded(String name, int length) {
    return text(
        name,
        selected -> PrintedText.padded(PrintedColumn.utf8(selected), length),
        TargetKeyText.ofPadded(name, length));
  }

  /** Empty for other binary collations, which ignore trailing spaces. */
  private static Optional<String> byBytes(ColumnType type) {
    return type.collation()
        .filter(
            collation ->
                Arrays.stream(ServerKind.values())
                    .anyMatch(server -> server.binaryCollation().equals(collation)))
        .map(any -> "bytes of UTF8");
  }

  private static PrintedColumn bytes(String name) {
    return new PrintedColumn(
        name,
        selected -> "\\x" + HexFormat.of().formatHex(selected),
        true,
        true,
        TargetKeyText.ofBytes(name));
  }

  private static List<TypeReading> bits(ColumnType type, String name) {
    int width = type.number(0, 1);
    String digits = "LPAD(BIN(%s + 0), %d, '0')".formatted(name, width);
    PrintedColumn printed = value(digits, PrintedColumn::utf8, TargetKeyText.ofBits(name));
    List<TypeReading> readings = new ArrayList<>();
    readings.add(
        new TypeReading(
            "bit(%d)".formatted(width),
            Optional.of("bit"),
            of -> of.first() == width ? Optional.of(printed) : Optional.empty()));
    if (width == 1) {
      readings.add(
          TypeReading.of(
              "boolean",
              "bool",
              value(digits, ColumnReading::truth, TargetKeyText.ofBoolean(name))));
    }
    return readings;
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
