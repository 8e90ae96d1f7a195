package dev.sluice.connector.api.source.catalog;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PostgreSQL's built-in types by the form in which it prints them. Stateless. */
public final class PrintedForm {
  private static final Pattern PRINTED =
      Pattern.compile("([a-z ]+?)(?:\\((\\d+)(?:,(\\d+))?\\))?( with(?:out)? time zone)?");

  /** By the printed name, the name in PostgreSQL's catalog. */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("smallint", "int2"),
          Map.entry("integer", "int4"),
          Map.entry("bigint", "int8"),
          Map.entry("real", "float4"),
          Map.entry("double precision", "float8"),
          Map.entry("character varying", "varchar"),
          Map.entry("character", "bpchar"),
          Map.entry("boolean", "bool"),
          Map.entry("time without time zone", "time"),
          Map.entry("timestamp without time zone", "timestamp"),
          Map.entry("timestamp with time zone", "timestamptz"));

  /** Characters and numerics count their own header. */
  private static final int HEADER = 4;

  /** The fields of an interval without limits, above its fraction of a second. */
  private static final int ALL_FIELDS = 0x7FFF << 16;

  private PrintedForm() {}

  /** The type of a printed form, such as {@code numeric(10,2)}. */
  public static TypeTree of(String printed) {
    Matcher parts = PRINTED.matcher(printed);
    if (!parts.matches()) {
      return base(printed, -1, printed);
    }
    String zone = parts.group(4) == null ? "" : parts.group(4);
    String name = NAMES.getOrDefault(parts.group(1) + zone, parts.group(1) + zone);
    return base(name, modifier(name, parts.group(2), parts.group(3)), printed);
  }

  private static TypeTree base(String name, int modifier, String printed) {
    return new TypeTree.Base(
        new TableId("pg_catalog", name), Optional.empty(), true, modifier, printed);
  }

  private static int modifier(String name, String first, String second) {
    if (first == null) {
      return -1;
    }
    int number = Integer.parseInt(first);
    return switch (name) {
      case "numeric" -> (number << 16 | (second == null ? 0 : Integer.parseInt(second))) + HEADER;
      case "varchar", "bpchar" -> number + HEADER;
      case "interval" -> ALL_FIELDS | number;
      default -> number;
    };
  }
}
