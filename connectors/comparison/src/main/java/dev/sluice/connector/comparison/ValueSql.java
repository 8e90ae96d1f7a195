package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The SQL that reads, prints and hashes the values of a row. Immutable.
 *
 * <p>Values are printed by their type's output function, as the log has them: a cast to text would
 * print some types differently, for example without the padding of {@code char(n)}.
 *
 * @param rows the compared rows and values
 */
record ValueSql(ComparedRows rows, SnapshotTable table, HashSql hash) {
  /**
   * Larger rows are hashed column by column: their text might exceed the server's limit of 1 GB.
   */
  private static final long LARGE_ROW = 64L * 1024 * 1024;

  /** Values whose text is longer are shown by their length and digest. */
  private static final long LARGE_VALUE = 8 * 1024;

  /** A value before it is printed. */
  private String value(ComparedValue compared) {
    String value = compared.cut().selected(compared.column(), RowSql.column(compared.column()));
    return compared
        .as()
        .map(type -> "CAST(%s AS %s)".formatted(printed(value), type))
        .orElse(value);
  }

  /** Its text by the output function. {@code IS NULL} would be true for a row of NULLs. */
  private static String printed(String value) {
    return "CASE WHEN pg_catalog.num_nulls(%s) = 0 THEN pg_catalog.concat(%s) END"
        .formatted(value, value);
  }

  /** The texts of the key's columns, as a list of expressions; empty without a key. */
  List<String> keyTexts() {
    return rows.key().stream().map(key -> printed(value(key))).toList();
  }

  /** The array of the key's texts. */
  String keyArray() {
    return "ARRAY[" + String.join(", ", keyTexts()) + "]::text[]";
  }

  /** The key's texts as columns, with a comma after each: they are read faster than an array. */
  String keyColumns() {
    return keyTexts().stream().map(text -> text + ", ").collect(Collectors.joining());
  }

  /**
   * The array of all values' texts; a large one is replaced by its length and digest, unless
   * complete values are wanted.
   */
  String valueArray() {
    return rows.values().stream()
        .map(value -> rows.whole() ? printed(value(value)) : shown(value))
        .collect(Collectors.joining(", ", "ARRAY[", "]::text[]"));
  }

  private String shown(ComparedValue compared) {
    String value = value(compared);
    if (table.column(compared.column()).isBytes() && compared.as().isEmpty()) {
      return "CASE WHEN pg_catalog.octet_length(%s) > %d THEN %s ELSE %s END"
          .formatted(
              value,
              LARGE_VALUE,
              digest("pg_catalog.octet_length(" + value + ")", value),
              printed(value));
    }
    String text = printed(value);
    if (!table.column(compared.column()).variable()) {
      return text;
    }
    return ("(SELECT CASE WHEN pg_catalog.char_length(v) > %d THEN %s ELSE v END"
            + " FROM (SELECT %s AS v OFFSET 0) s)")
        .formatted(
            LARGE_VALUE,
            digest("pg_catalog.char_length(v)", "pg_catalog.convert_to(v, 'UTF8')"),
            text);
  }

  private static String digest(String length, String bytes) {
    return "pg_catalog.concat('length ', %s, ', sha256 ', pg_catalog.encode(pg_catalog.sha256(%s), 'hex'))"
        .formatted(length, bytes);
  }

  /**
   * The form of a row that is hashed: unambiguous, and the same on both sides if all values are.
   */
  String rowForm() {
    String whole =
        rowOf(rows.values().stream().map(hash.isBinary() ? this::sent : this::value).toList());
    if (!table.mayHaveLargeRows()) {
      return whole;
    }
    List<String> sizes = rows.values().stream().map(this::size).flatMap(Optional::stream).toList();
    if (sizes.isEmpty()) {
      return whole;
    }
    return "CASE WHEN %s > %d THEN %s ELSE %s END"
        .formatted(
            String.join(" + ", sizes),
            LARGE_ROW,
            rowOf(rows.values().stream().map(this::digested).toList()),
            whole);
  }

  /** A value cast to a type whose id, part of the binary form, is the same on both sides. */
  private String sent(ComparedValue compared) {
    String value = value(compared);
    if (!compared.exact()) {
      return printed(value);
    }
    KnownColumn column = table.column(compared.column());
    boolean ofDomain = !column.column().type().equals(column.column().bareType());
    return ofDomain && compared.as().isEmpty()
        ? "CAST(%s AS %s)".formatted(value, column.bareName())
        : value;
  }

  private String rowOf(List<String> values) {
    String row = "ROW(" + String.join(", ", values) + ")";
    return hash.isBinary() ? "pg_catalog.record_send(" + row + ")" : "CAST(" + row + " AS text)";
  }

  /** The size of a value, which must not depend on how the server stores it; empty if small. */
  private Optional<String> size(ComparedValue compared) {
    KnownColumn column = table.column(compared.column());
    if (!column.variable() || compared.cut().types().containsKey(compared.column())) {
      return Optional.empty();
    }
    // For others it is the stored size, which may be smaller on one side because of compression.
    // Such rows differ only until their values are compared.
    String function = column.hasPlainLength() ? "octet_length" : "pg_column_size";
    return Optional.of(
        "coalesce(pg_catalog.%s(%s), 0)::int8"
            .formatted(function, RowSql.column(compared.column())));
  }

  private String digested(ComparedValue compared) {
    String value = value(compared);
    return table.column(compared.column()).isBytes() && compared.as().isEmpty()
        ? "pg_catalog.sha256(" + value + ")"
        : "pg_catalog.sha256(pg_catalog.convert_to(" + printed(value) + ", 'UTF8'))";
  }
}
