package dev.sluice.engine.binlog;

import dev.sluice.engine.binlog.BinlogColumn.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random statements that change rows of a table; the server may refuse them. Stateless. */
final class BinlogStatements {
  private final Random random;

  BinlogStatements(Random random) {
    this.random = random;
  }

  /** One statement, or several that belong together. */
  List<String> change(BinlogTable table) {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> List.of(insert(table));
      case 4 -> List.of(rows("INSERT IGNORE", table, 1 + random.nextInt(60)));
      case 5, 6 -> List.of(rows("REPLACE", table, 1 + random.nextInt(4)));
      case 7, 8 -> List.of(insertOrUpdate(table));
      case 9 -> List.of(delete(table) + some(4));
      case 10 -> List.of(random.nextInt(6) == 0 ? delete(table) : delete(table) + where(table));
      case 11, 12 -> List.of(update(table, chosen(table.key())) + some(3));
      case 13 ->
          List.of(update(table, indexed(table)).replace("UPDATE", "UPDATE IGNORE") + some(9));
      case 14 -> exchange(table);
      case 15 -> List.of(shift(table));
      case 16 -> deleteAndInsert(table);
      case 17 -> List.of(update(table, chosen(table.written())));
      default -> List.of(update(table, chosen(table.written())) + some(5));
    };
  }

  String insert(BinlogTable table) {
    return rows("INSERT", table, 1 + random.nextInt(5));
  }

  private String rows(String verb, BinlogTable table, int count) {
    List<BinlogColumn> columns =
        table.written().stream()
            .filter(column -> !column.optional() || random.nextInt(5) > 0)
            .toList();
    return "%s INTO %s (%s) VALUES %s"
        .formatted(
            verb,
            table.quoted(),
            columns.stream().map(BinlogColumn::quoted).collect(Collectors.joining(", ")),
            IntStream.range(0, count)
                .mapToObj(i -> values(columns))
                .collect(Collectors.joining(", ")));
  }

  private String values(List<BinlogColumn> columns) {
    return columns.stream()
        .map(column -> column.literal(random))
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private String insertOrUpdate(BinlogTable table) {
    String set =
        chosen(table.written()).stream()
            .map(
                column ->
                    column.quoted()
                        + " = "
                        + (random.nextBoolean()
                            ? "VALUES(" + column.quoted() + ")"
                            : column.literal(random)))
            .collect(Collectors.joining(", "));
    return insert(table) + " ON DUPLICATE KEY UPDATE " + set;
  }

  private String delete(BinlogTable table) {
    return "DELETE FROM " + table.quoted();
  }

  private List<String> deleteAndInsert(BinlogTable table) {
    return List.of(delete(table) + some(2), insert(table), insert(table));
  }

  private String update(BinlogTable table, List<BinlogColumn> columns) {
    return "UPDATE "
        + table.quoted()
        + " SET "
        + columns.stream()
            .map(column -> column.quoted() + " = " + value(column))
            .collect(Collectors.joining(", "));
  }

  /** A new value, or one of the value that is there. */
  private String value(BinlogColumn column) {
    if (column.isInteger() && random.nextInt(3) == 0) {
      return column.quoted() + (random.nextBoolean() ? " + 1" : " - 1");
    }
    if (column.isShortText() && random.nextInt(4) == 0) {
      return (random.nextBoolean() ? "upper(%s)" : "concat(%s, ' ')").formatted(column.quoted());
    }
    return column.literal(random);
  }

  /** A few rows by chance, the same each time. */
  private String some(int most) {
    return " ORDER BY rand(%d) LIMIT %d"
        .formatted(random.nextInt(1_000_000), 1 + random.nextInt(most));
  }

  private String where(BinlogTable table) {
    BinlogColumn column = table.key().get(0);
    return " WHERE " + column.quoted() + " = " + bare(column);
  }

  /** The whole key moves by one, in the order in which no number is there twice. */
  private String shift(BinlogTable table) {
    List<BinlogColumn> key = table.key();
    BinlogColumn column = key.get(key.size() - 1);
    if (!column.isInteger()) {
      return update(table, List.of(column)) + some(2);
    }
    boolean up = random.nextBoolean();
    return "UPDATE %s SET %s = %2$s %s 1 ORDER BY %2$s%s"
        .formatted(table.quoted(), column.quoted(), up ? "+" : "-", up ? " DESC" : "");
  }

  /** Two rows exchange their values of a column of an index. */
  private List<String> exchange(BinlogTable table) {
    List<BinlogColumn> indexed = indexed(table);
    BinlogColumn column = indexed.get(random.nextInt(indexed.size()));
    String between = column.nullable() ? "NULL" : bare(column);
    String name = column.quoted();
    String one = "SELECT %s FROM %s".formatted(name, table.quoted());
    return List.of(
        "SET @one = (%s%s)".formatted(one, some(1)),
        "SET @other = (%s%s)".formatted(one, some(1)),
        "UPDATE %s SET %s = %s WHERE %2$s = @one LIMIT 1".formatted(table.quoted(), name, between),
        "UPDATE %s SET %s = @one WHERE %2$s = @other LIMIT 1".formatted(table.quoted(), name),
        "UPDATE %s SET %s = @other WHERE %2$s <=> %s LIMIT 1"
            .formatted(table.quoted(), name, between));
  }

  private String bare(BinlogColumn column) {
    return column.values().get(random.nextInt(column.values().size()));
  }

  private List<BinlogColumn> indexed(BinlogTable table) {
    return Stream.concat(Stream.of(table.key()), table.unique().stream())
        .skip(random.nextInt(1 + table.unique().size()))
        .findFirst()
        .orElseThrow();
  }

  /** At least one of them, and no counter, whose default is no value of an update. */
  private List<BinlogColumn> chosen(List<BinlogColumn> columns) {
    List<BinlogColumn> chosen = new ArrayList<>();
    for (BinlogColumn column : columns) {
      if (random.nextInt(1 + columns.size() / 2) == 0) {
        chosen.add(column.origin() == Origin.COUNTER ? column.withoutCounter() : column);
      }
    }
    return chosen.isEmpty() ? List.of(columns.get(0).withoutCounter()) : chosen;
  }
}
