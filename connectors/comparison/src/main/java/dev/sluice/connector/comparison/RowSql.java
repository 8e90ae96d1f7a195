package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.TablePart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The SQL that reads one table, from the FROM clause to the form of a row. A statement collects its
 * parameters in the order of its question marks. Owned by one thread, for one statement.
 *
 * <p>Values are printed by their type's output function, as the log has them: a cast to text would
 * print some types in another way, for example without the padding of {@code char(n)}.
 */
final class RowSql {
  /** The alias of the table; conditions name its columns without it. */
  static final String ROW = "\"!r\"";

  /**
   * Larger rows are hashed column by column: their text might exceed the server's limit of 1 GB.
   */
  private static final long LARGE_ROW = 64L * 1024 * 1024;

  /** Values whose text is longer are shown by their length and digest. */
  private static final long LARGE_VALUE = 8 * 1024;

  private final ComparedRows rows;
  private final SnapshotTable table;
  private final HashSql hash;
  private final List<Object> parameters = new ArrayList<>();

  RowSql(ComparedRows rows, SnapshotTable table, HashSql hash) {
    this.rows = rows;
    this.table = table;
    this.hash = hash;
  }

  /** The values of all question marks so far. */
  List<Object> parameters() {
    return parameters;
  }

  /** Adds the value of the next question mark. */
  RowSql with(Object value) {
    parameters.add(value);
    return this;
  }

  private static String column(String name) {
    return ROW + "." + TableId.quote(name);
  }

  /** A value before it is printed. */
  private String value(ComparedValue compared) {
    String value = compared.cut().selected(compared.column(), column(compared.column()));
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

  /** What {@link #plainKey} lists. */
  enum Plain {
    /** The columns, each under a name that no column has. */
    READ,
    /** Those names. */
    RENAMED,
    /** The same under the columns' own names again. */
    NAMED
  }

  /** The key's columns as they are stored, with a comma behind each. */
  String plainKey(Plain form) {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < rows.key().size(); i++) {
      String name = rows.key().get(i).column();
      list.append(
          switch (form) {
            case READ -> column(name) + " AS " + keyName(i);
            case RENAMED -> keyName(i);
            case NAMED -> keyName(i) + " AS " + TableId.quote(name);
          });
      list.append(", ");
    }
    return list.toString();
  }

  /** The array of the key's texts. */
  String keyArray() {
    return "ARRAY[" + String.join(", ", keyTexts()) + "]::text[]";
  }

  /** The key's texts as columns, with a comma behind each: they are read faster than an array. */
  String keyColumns() {
    return keyTexts().stream().map(text -> text + ", ").collect(Collectors.joining());
  }

  /** The array of all values' texts; a large one as its length and digest, unless all are whole. */
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

  /** What is hashed of a row: unambiguous, and the same on both sides if all values are. */
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

  /** A value whose binary form has the number of a type that is the same on both sides. */
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
    // The size of others is that of what is stored. It may be smaller on one side by compression:
    // such rows only differ until their values are compared.
    String function = column.hasPlainLength() ? "octet_length" : "pg_column_size";
    return Optional.of(
        "coalesce(pg_catalog.%s(%s), 0)::int8".formatted(function, column(compared.column())));
  }

  private String digested(ComparedValue compared) {
    String value = value(compared);
    return table.column(compared.column()).isBytes() && compared.as().isEmpty()
        ? "pg_catalog.sha256(" + value + ")"
        : "pg_catalog.sha256(pg_catalog.convert_to(" + printed(value) + ", 'UTF8'))";
  }

  /** The number of the bucket of a row's key. */
  String bucket(int of) {
    return "(%s & %d)"
        .formatted(
            hash.fixed("CAST(ROW(%s) AS text)".formatted(String.join(", ", keyTexts()))), of - 1);
  }

  /** The table with its alias. */
  String from() {
    return (rows.withLeaves() ? "" : "ONLY ") + rows.table().quoted() + " " + ROW;
  }

  /** The conditions of rows that are compared: the filter, and no key that is left out. */
  List<String> conditions() {
    List<String> conditions = new ArrayList<>();
    rows.condition().ifPresent(condition -> conditions.add("(" + condition + ")"));
    if (!rows.leftOut().isEmpty() && !rows.key().isEmpty()) {
      conditions.add(isOneOf(rows.leftOut()) + " IS NOT TRUE");
    }
    return conditions;
  }

  /**
   * A list of keys as a relation, with its parameters. With a schema's name the function would not
   * take several lists.
   */
  String keys(List<RowKey> keys, String alias, boolean numbered) {
    List<String> arrays = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < rows.key().size(); i++) {
      int at = i;
      with(keys.stream().map(key -> key.values().get(at)).toArray(String[]::new));
      arrays.add("CAST(? AS text[])");
      names.add(keyName(i));
    }
    if (numbered) {
      names.add("\"!n\"");
    }
    return "unnest(%s)%s AS %s (%s)"
        .formatted(
            String.join(", ", arrays),
            numbered ? " WITH ORDINALITY" : "",
            alias,
            String.join(", ", names));
  }

  /**
   * The condition that a row's key is in a list. Followed by IS TRUE or IS NOT TRUE it is not made
   * a join, for which servers hash the table, or sort the list for each block: the list is hashed
   * once.
   */
  String isOneOf(List<RowKey> keys) {
    String list = keys(keys, "\"!o\"", false);
    return "(%s IN (SELECT %s FROM %s))"
        .formatted(
            tuple(rows.key().stream().map(key -> column(key.column())).toList()),
            IntStream.range(0, rows.key().size())
                .mapToObj(i -> typed("\"!o\"", i))
                .collect(Collectors.joining(", ")),
            list);
  }

  private String typed(String alias, int number) {
    return "CAST(%s.%s AS %s)"
        .formatted(
            alias, keyName(number), table.column(rows.key().get(number).column()).bareName());
  }

  private static String keyName(int number) {
    return "\"!k" + number + "\"";
  }

  /** The condition that a row has the key of that relation. */
  String matches(String alias) {
    return IntStream.range(0, rows.key().size())
        .mapToObj(i -> "%s = %s".formatted(column(rows.key().get(i).column()), typed(alias, i)))
        .collect(Collectors.joining(" AND "));
  }

  /** The conditions of a range of keys. */
  List<String> range(KeyRange range) {
    List<String> conditions = new ArrayList<>();
    range.after().ifPresent(key -> conditions.add(compared(">", key)));
    range.upTo().ifPresent(key -> conditions.add(compared("<=", key)));
    return conditions;
  }

  /** The conditions that a row is in some pages of its partition, with AND behind them. */
  static String pages(TablePart part) {
    String from = "%s.ctid >= CAST('(%d,0)' AS tid) AND ".formatted(ROW, part.from());
    return part.to().isEmpty()
        ? from
        : from + "%s.ctid < CAST('(%d,0)' AS tid) AND ".formatted(ROW, part.to().getAsLong());
  }

  /** The conditions of some buckets. */
  List<String> buckets(KeyBuckets buckets) {
    return buckets.size() == buckets.of()
        ? List.of()
        : List.of(
            "%s BETWEEN %d AND %d"
                .formatted(bucket(buckets.of()), buckets.first(), buckets.last()));
  }

  /**
   * A list of ranges with both ends as a relation, with its parameters: of each the ends of the
   * key, and its number.
   */
  String blocks(List<KeyRange> blocks) {
    List<String> arrays = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < rows.keyOrder().size(); i++) {
      int at = positionOf(rows.keyOrder().get(i));
      with(blocks.stream().map(block -> end(block.after(), at)).toArray(String[]::new));
      with(blocks.stream().map(block -> end(block.upTo(), at)).toArray(String[]::new));
      arrays.add("CAST(? AS text[]), CAST(? AS text[])");
      names.add("\"!l" + i + "\", \"!u" + i + "\"");
    }
    return "unnest(%s) WITH ORDINALITY AS \"!b\" (%s, \"!n\")"
        .formatted(String.join(", ", arrays), String.join(", ", names));
  }

  private static String end(Optional<RowKey> key, int column) {
    return key.orElseThrow(() -> new IllegalArgumentException("BUG: a block without an end"))
        .values()
        .get(column);
  }

  /** The conditions that a row is in a range of that relation. */
  List<String> inBlock() {
    return List.of(blockEnd(">", "\"!l"), blockEnd("<=", "\"!u"));
  }

  private String blockEnd(String operator, String prefix) {
    List<String> ends = new ArrayList<>();
    for (int i = 0; i < rows.keyOrder().size(); i++) {
      ends.add(
          "CAST(\"!b\".%s%d\" AS %s)"
              .formatted(prefix, i, table.column(rows.keyOrder().get(i)).bareName()));
    }
    return tuple(orderColumns()) + " " + operator + " " + tuple(ends);
  }

  private String compared(String operator, RowKey key) {
    List<String> values = new ArrayList<>();
    for (String name : rows.keyOrder()) {
      with(key.values().get(positionOf(name)));
      values.add("CAST(? AS " + table.column(name).bareName() + ")");
    }
    return tuple(orderColumns()) + " " + operator + " " + tuple(values);
  }

  private static String tuple(List<String> values) {
    return values.size() == 1 ? values.get(0) : "(" + String.join(", ", values) + ")";
  }

  private int positionOf(String name) {
    for (int i = 0; i < rows.key().size(); i++) {
      if (rows.key().get(i).column().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("BUG: " + name + " is not in the key");
  }

  private List<String> orderColumns() {
    return rows.keyOrder().stream().map(RowSql::column).toList();
  }

  /** The order of ranges. */
  String order() {
    return String.join(", ", orderColumns());
  }

  /**
   * The query for the forms of rows that are hashed, as {@code t}.
   *
   * @param columns before it, with a comma behind each
   */
  String rows(String columns, List<String> conditions) {
    return "SELECT %s%s AS t FROM %s%s".formatted(columns, rowForm(), from(), where(conditions));
  }

  /** A WHERE clause of all conditions; empty without any. */
  static String where(List<String> conditions) {
    return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
  }
}
