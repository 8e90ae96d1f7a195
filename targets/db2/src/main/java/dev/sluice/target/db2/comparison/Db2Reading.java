package dev.sluice.target.db2.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.comparison.printed.FloatingText;
import dev.sluice.connector.comparison.printed.KeyText;
import dev.sluice.connector.comparison.printed.PrintedColumn;
import dev.sluice.connector.comparison.printed.PrintedText;
import dev.sluice.connector.comparison.printed.TypeReading;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.db2.value.Db2Type;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.UnaryOperator;

/*
 * Texts have no order here: the server ignores trailing spaces, so a range of keys would contain
 * other rows than on the source.
 */
/** The SQL that reads the values of a column of Db2 in the form of PostgreSQL's types. Pure. */
final class Db2Reading {
  private static final int UUID = 36;

  private Db2Reading() {}

  /** All ways to read a column, its own type first; none if its type has no counterpart. */
  static List<TypeReading> of(TargetColumn column) {
    Db2Type type = Db2Type.of(column);
    String name = TableId.quote(column.name());
    return switch (type.name()) {
      case "SMALLINT" -> whole("smallint", name);
      case "INTEGER" -> whole("integer", name);
      case "BIGINT" -> whole("bigint", name);
      case "DECIMAL" -> numbers("numeric(%d,%d)".formatted(type.first(), type.second()), name);
      case "REAL" ->
          List.of(
              TypeReading.of(
                  "real",
                  "float4",
                  value(
                      name,
                      text -> FloatingText.of(Float.parseFloat(text)),
                      Db2KeyText.ofSingle(name))));
      case "DOUBLE" -> floating(name);
      case "VARCHAR" -> varying(name, type.first());
      case "CHAR" -> fixed(name, type.first());
      case "CHAR FOR BIT DATA", "VARCHAR FOR BIT DATA" ->
          List.of(TypeReading.of("bytea", Optional.empty(), bytes(name)));
      case "DATE" ->
          List.of(
              TypeReading.of(
                  "date",
                  "date",
                  value(characters(name), Db2Times::date, Db2KeyText.ofDate(name))));
      case "TIME" ->
          List.of(
              TypeReading.of(
                  "time without time zone",
                  "time",
                  value(characters(name), Db2Times::time, Db2KeyText.ofTime(name))));
      case "TIMESTAMP" ->
          List.of(
              TypeReading.of("timestamp without time zone", "timestamp", timestamp(name, "")),
              TypeReading.of("timestamp with time zone", "timestamptz", timestamp(name, "+00")));
      case "BOOLEAN" ->
          List.of(
              TypeReading.of(
                  "boolean", "bool", value(name, Db2Reading::truth, Db2KeyText.ofTruth(name))));
      default -> List.of();
    };
  }

  private static PrintedColumn value(String expression, UnaryOperator<String> text, KeyText key) {
    return new PrintedColumn(expression, new ReadText(text), false, false, key);
  }

  private static PrintedColumn text(String name, UnaryOperator<String> text, KeyText key) {
    return new PrintedColumn(name, new ReadText(text), false, true, key);
  }

  /** As text, since the driver would convert times to this machine's time zone. */
  private static String characters(String name) {
    return "CAST(" + name + " AS VARCHAR(32))";
  }

  private static List<TypeReading> whole(String own, String name) {
    List<TypeReading> readings = numbers(own, name);
    readings.add(
        TypeReading.of(
            "boolean", "bool", value(name, Db2Reading::truth, Db2KeyText.ofTruthNumber(name))));
    return readings;
  }

  /** A number other than 0 and 1 is no boolean of the source, and stays a number. */
  private static String truth(String selected) {
    return switch (selected) {
      case "0", "false", "FALSE" -> "f";
      case "1", "true", "TRUE" -> "t";
      default -> selected;
    };
  }

  /** For exact numbers. The modifiers of a type say how many digits the fraction has. */
  private static List<TypeReading> numbers(String own, String name) {
    List<TypeReading> readings = new ArrayList<>();
    for (String type : List.of(own, "smallint", "integer", "bigint", "numeric")) {
      boolean numeric = type.startsWith("numeric");
      readings.add(
          new TypeReading(
              type,
              Optional.of(numeric ? "numeric" : "integer"),
              // Without modifiers each value has digits of its own.
              of ->
                  numeric && of.first() < 0
                      ? Optional.empty()
                      : Optional.of(scaled(name, Math.max(0, of.second())))));
    }
    return readings;
  }

  private static PrintedColumn scaled(String name, int digits) {
    return value(
        name,
        selected -> PrintedText.scaled(new BigDecimal(selected).toPlainString(), digits),
        Db2KeyText.ofNumber(name, digits));
  }

  private static List<TypeReading> floating(String name) {
    return List.of(
        TypeReading.of("double precision", "float8", floating(name, FloatingText::of)),
        // The order of values that lie between two values of the source's type is not known.
        TypeReading.of("real", Optional.empty(), floating(name, FloatingText::ofSingle)));
  }

  private static PrintedColumn floating(String name, DoubleFunction<String> printed) {
    return value(
        name,
        selected -> printed.apply(Double.parseDouble(selected)),
        Db2KeyText.ofDouble(name, printed));
  }

  private static List<TypeReading> varying(String name, int length) {
    PrintedColumn printed = text(name, UnaryOperator.identity(), Db2KeyText.ofText(name));
    List<TypeReading> readings = new ArrayList<>();
    readings.add(TypeReading.of(TypeReading.TEXT, Optional.empty(), printed));
    if (length >= UUID) {
      readings.add(TypeReading.of("uuid", Optional.empty(), printed));
    }
    return readings;
  }

  /** The server pads a text up to a number of bytes, PostgreSQL up to a number of characters. */
  private static List<TypeReading> fixed(String name, int length) {
    List<TypeReading> readings = new ArrayList<>();
    readings.add(
        new TypeReading(
            "character(%d)".formatted(length),
            Optional.empty(),
            of -> Optional.of(padded(name, Math.max(1, of.first())))));
    if (length >= UUID) {
      readings.add(TypeReading.of("uuid", Optional.empty(), padded(name, UUID)));
    }
    return readings;
  }

  private static PrintedColumn padded(String name, int length) {
    return text(
        name,
        selected -> PrintedText.padded(PrintedText.withoutBlanks(selected), length),
        Db2KeyText.ofPadded(name, length));
  }

  private static PrintedColumn bytes(String name) {
    return new PrintedColumn(
        name,
        selected -> "\\x" + HexFormat.of().formatHex(selected),
        true,
        true,
        Db2KeyText.ofBytes(name));
  }

  private static PrintedColumn timestamp(String name, String zone) {
    return value(
        characters(name),
        selected -> PrintedColumn.withoutZeros(Db2Times.timestamp(selected)) + zone,
        Db2KeyText.ofTimestamp(name));
  }
}
