package dev.sluice.target.db2.catalog;

import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.value.Db2Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * Only types that are known to keep each value pass. On some servers the length of a text is in
 * bytes. So a column with the same length keeps only texts that have no more bytes than that.
 */
/**
 * Decides which columns of Db2 keep the values of PostgreSQL's types, alone and in a unique index.
 * Stateless, threadsafe.
 */
public final class Db2ColumnFit implements ColumnFit {
  /** A type as PostgreSQL prints it, with up to two arguments. */
  private static final Pattern PRINTED =
      Pattern.compile("([a-z ]+?)(?:\\((\\d+)(?:,(\\d+))?\\))?( with(?:out)? time zone)?");

  private static final Map<String, Integer> WHOLE_DIGITS =
      Map.of("SMALLINT", 4, "INTEGER", 9, "BIGINT", 18);

  /** For the source's types of whole numbers, the digits that a decimal needs. */
  private static final Map<String, Integer> DIGITS =
      Map.of("smallint", 5, "integer", 10, "bigint", 19);

  private static final Map<String, String> SAME =
      Map.of("smallint", "SMALLINT", "integer", "INTEGER", "bigint", "BIGINT");

  private static final Verdict TOO_LONG =
      new Verdict.Except("texts with more bytes than its length");
  private static final Verdict DATES =
      new Verdict.Except("infinity, and dates before Christ or after the year 9999");
  private static final Verdict NUMBERS = new Verdict.Except("NaN and infinity");

  @Override
  public Verdict of(Column source, TargetTable table, TargetColumn column) {
    return verdict(source.type(), Db2Type.of(column))
        .map(verdict -> withDuplicates(verdict, TakenForDuplicates.of(source, table, column)))
        .orElseGet(
            () ->
                new Verdict.Unfit(
                    "%s of the source does not fit into %s".formatted(source.type(), column.type()),
                    proposed(source.type())));
  }

  /** Adds to the verdict on a column which values a unique index rejects as duplicates. */
  private static Verdict withDuplicates(Verdict byType, List<String> duplicates) {
    if (duplicates.isEmpty()) {
      return byType;
    }
    List<String> values = new ArrayList<>();
    if (byType instanceof Verdict.Except except) {
      values.add(except.values());
    }
    values.addAll(duplicates);
    return new Verdict.Except(String.join(", ", values));
  }

  private static Optional<Verdict> verdict(String printed, Db2Type to) {
    Matcher parts = PRINTED.matcher(printed);
    if (!parts.matches()) {
      return keepsText(to);
    }
    String from = parts.group(1) + (parts.group(4) == null ? "" : parts.group(4));
    int first = parts.group(2) == null ? 0 : Integer.parseInt(parts.group(2));
    int second = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
    return switch (from) {
      case "smallint", "integer", "bigint" -> whole(from, to);
      case "boolean" -> keepsIf(to.name().equals("BOOLEAN") || WHOLE_DIGITS.containsKey(to.name()));
      case "numeric" -> numeric(first, second, to);
      case "real" ->
          to.name().equals("REAL") || to.name().equals("DOUBLE")
              ? Optional.of(NUMBERS)
              : Optional.empty();
      case "double precision" ->
          to.name().equals("DOUBLE") ? Optional.of(NUMBERS) : Optional.empty();
      case "character" ->
          to.name().equals("CHAR") && to.first() == Math.max(1, first)
              ? Optional.of(TOO_LONG)
              : Optional.empty();
      case "uuid" ->
          keepsIf(to.first() >= 36 && (to.name().equals("CHAR") || to.name().equals("VARCHAR")));
      case "bytea" ->
          to.name().equals("VARCHAR FOR BIT DATA")
              ? Optional.of(new Verdict.Except("values with more bytes than its length"))
              : Optional.empty();
      case "date" -> to.name().equals("DATE") ? Optional.of(DATES) : Optional.empty();
      case "timestamp without time zone", "timestamp with time zone" ->
          to.name().equals("TIMESTAMP") ? Optional.of(DATES) : Optional.empty();
      case "time without time zone" ->
          to.name().equals("TIME")
              ? Optional.of(new Verdict.Except("fractions of a second, and 24:00"))
              : Optional.empty();
      default -> keepsText(to);
    };
  }

  private static Optional<Verdict> whole(String from, Db2Type to) {
    return keepsIf(
        to.name().equals("DECIMAL")
            ? to.first() - to.second() >= DIGITS.get(from)
            : WHOLE_DIGITS.getOrDefault(to.name(), 0) >= WHOLE_DIGITS.get(SAME.get(from)));
  }

  private static Optional<Verdict> numeric(int digits, int scale, Db2Type to) {
    if (!to.name().equals("DECIMAL")) {
      return Optional.empty();
    }
    if (digits == 0) {
      return Optional.of(new Verdict.Except("NaN, and numbers with more digits than the column"));
    }
    return to.second() >= scale && to.first() - to.second() >= digits - scale
        ? Optional.of(NUMBERS)
        : Optional.empty();
  }

  private static Optional<Verdict> keepsIf(boolean keeps) {
    return keeps ? Optional.of(Verdict.KEEPS) : Optional.empty();
  }

  /** A type without a counterpart is sent as a text of unknown length. */
  private static Optional<Verdict> keepsText(Db2Type to) {
    return to.name().equals("VARCHAR") ? Optional.of(TOO_LONG) : Optional.empty();
  }

  /** The type for a new column, as a proposal in messages. */
  static String proposed(String printed) {
    Matcher parts = PRINTED.matcher(printed);
    String from = parts.matches() ? parts.group(1) : "";
    String arguments =
        from.equals("numeric") && parts.group(2) != null
            ? "(%s, %s)".formatted(parts.group(2), parts.group(3) == null ? "0" : parts.group(3))
            : "(31, 6)";
    return switch (from) {
      case "smallint", "integer", "bigint" -> SAME.get(from);
      case "boolean" -> "SMALLINT";
      case "numeric" -> "DECIMAL" + arguments;
      case "real" -> "REAL";
      case "double precision" -> "DOUBLE";
      case "character" -> "CHAR(%s)".formatted(parts.group(2) == null ? "1" : parts.group(2));
      case "uuid" -> "CHAR(36)";
      case "bytea" -> "VARCHAR(32000) FOR BIT DATA";
      case "date" -> "DATE";
      case "timestamp" -> "TIMESTAMP";
      case "time" -> "TIME";
      default -> "VARCHAR(4000)";
    };
  }
}
