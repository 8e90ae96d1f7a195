package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.TablePart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The SQL that reads one table, from the FROM clause to the form of a row. A statement collects its
 * parameters in the order of its question marks. Owned by one thread, for one statement.
 */
final class RowSql {
  /** The alias of the table; conditions use its columns without the alias. */
  static final String ROW = "\"!r\"";

  private final ComparedRows rows;
  private final SnapshotTable table;
  private final HashSql hash;
  private final ValueSql values;
  private final List<Object> parameters = new ArrayList<>();

  RowSql(ComparedRows rows, SnapshotTable table, HashSql hash) {
    this.rows = rows;
    this.table = table;
    this.hash = hash;
    this.values = new ValueSql(rows, table, hash);
  }

  /** The values of all question marks so far. */
  List<Object> parameters() {
    return parameters;
  }

  /** The expressions for the values of a row; they have no parameters. */
  ValueSql values() {
    return values;
  }

  /** Adds the value of the next question mark. */
  RowSql with(Object value) {
    parameters.add(value);
    return this;
  }

  /** A column of the row, as it is stored. */
  static String column(String name) {
    return ROW + "." + TableId.quote(name);
  }

  /** The form of the list of {@link #plainKey}. */
  enum Plain {
    /** The columns, each renamed to a name that no column has. */
    READ,
    /** Only the new names. */
    RENAMED,
    /** The new names, renamed back to the columns' own names. */
    NAMED
  }

  /** The key's columns as they are stored, with a comma after each. */
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

  /** The number of the bucket of a row's key. */
  String bucket(int of) {
    return "(%s & %d)"
        .formatted(
            hash.fixed("CAST(ROW(%s) AS text)".formatted(String.join(", ", values.keyTexts()))),
            of - 1);
  }

  /** The table with its alias. */
  String from() {
    return (rows.withLeaves() ? "" : "ONLY ") + rows.table().quoted() + " " + ROW;
  }

  /** The conditions of rows that are compared: the filter, and that the key is not skipped. */
  List<String> conditions() {
    List<String> conditions = new ArrayList<>();
    rows.condition().ifPresent(condition -> conditions.add("(" + condition + ")"));
    if (!rows.leftOut().isEmpty() && !rows.key().isEmpty()) {
      conditions.add(isOneOf(rows.leftOut()) + " IS NOT TRUE");
    }
    return conditions;
  }

  /**
   * A list of keys as a relation, with its parameters. The function has no schema, since with one
   * it would not accept several lists.
   */
  String keys(List<RowKey> keys, String alias, boolean numbered) {
    List<String> arrays = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < rows.key().size(); i++) {
      int at = i;
      KnownColumn column = table.column(rows.key().get(i).column());
      // A text that the column cannot have is NULL, which is equal to no value.
      with(
          keys.stream()
              .map(key -> key.values().get(at))
              .map(text -> KeyValue.isPossible(column.typeName(), text) ? text : null)
              .toArray(String[]::new));
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
   * The condition that a row's key is in a list. With IS TRUE or IS NOT TRUE after it, the server
   * does not turn it into a join, for which it would hash the table, or sort the list for each
   * block. Instead it hashes the list once.
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

  /** The condition that a row has the key in that relation. */
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

  /** The conditions that a row is in some pages of its partition, with AND after them. */
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
   * A list of ranges, all with both ends, as a relation with its parameters: the ends and the
   * number of each range.
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

  /** The conditions that a row is in a range of the relation of these blocks. */
  List<String> inBlock(List<KeyRange> blocks) {
    return List.of(
        blockEnd(">", "\"!l", blocks, KeyRange::after),
        blockEnd("<=", "\"!u", blocks, KeyRange::upTo));
  }

  private String blockEnd(
      String operator,
      String prefix,
      List<KeyRange> blocks,
      Function<KeyRange, Optional<RowKey>> side) {
    List<String> ends = new ArrayList<>();
    for (int i = 0; i < rows.keyOrder().size(); i++) {
      String name = rows.keyOrder().get(i);
      int at = positionOf(name);
      String type =
          KeyValue.typeOfBounds(
              table.column(name), blocks.stream().map(block -> end(side.apply(block), at)));
      ends.add("CAST(\"!b\".%s%d\" AS %s)".formatted(prefix, i, type));
    }
    return tuple(orderColumns()) + " " + operator + " " + tuple(ends);
  }

  private String compared(String operator, RowKey key) {
    List<String> values = new ArrayList<>();
    for (String name : rows.keyOrder()) {
      String text = key.values().get(positionOf(name));
      with(text);
      values.add("CAST(? AS " + KeyValue.typeOfBounds(table.column(name), Stream.of(text)) + ")");
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

  /** The ORDER BY clause of ranges. */
  String order() {
    return String.join(", ", orderColumns());
  }

  /**
   * The query for the forms of rows that are hashed, as {@code t}.
   *
   * @param columns before it, with a comma after each
   */
  String rows(String columns, List<String> conditions) {
    return "SELECT %s%s AS t FROM %s%s"
        .formatted(columns, values.rowForm(), from(), where(conditions));
  }

  /** A WHERE clause of all conditions; empty without any. */
  static String where(List<String> conditions) {
    return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
  }
}
