package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A table gets another name. Immutable.
 *
 * @param from its name before
 * @param to its name now
 */
public record Renaming(TableId from, TableId to) {

  /**
   * Reads RENAME TABLE.
   *
   * @return its renamings, in their order
   * @throws NotFollowed if anything is not certain
   */
  public static List<Renaming> read(LoggedStatement statement) throws NotFollowed {
    SqlWords words = new SqlWords(SqlTokens.of(statement));
    if (!words.accept("RENAME", "TABLE") && !words.accept("RENAME", "TABLES")) {
      throw new NotFollowed("it begins with other words than RENAME TABLE");
    }
    List<Renaming> all = new ArrayList<>();
    for (SqlWords part : words.divided()) {
      TableId from = table(part, statement.database());
      if (part.accept("WAIT")) {
        part.number();
      } else {
        part.accept("NOWAIT");
      }
      if (!part.accept("TO")) {
        throw new NotFollowed("what %s means there is not known here".formatted(part.next()));
      }
      TableId to = table(part, statement.database());
      if (!part.isAtEnd()) {
        throw new NotFollowed("what %s means there is not known here".formatted(part.next()));
      }
      all.add(new Renaming(from, to));
    }
    return all;
  }

  /**
   * Reads the name of a table.
   *
   * @param database of a name without one
   */
  static TableId table(SqlWords words, String database) throws NotFollowed {
    String name = name(words);
    return words.accept(".") ? new TableId(name, name(words)) : new TableId(database, name);
  }

  private static String name(SqlWords words) throws NotFollowed {
    return words.name().orElseThrow(() -> new NotFollowed("a table's name cannot be read"));
  }

  /**
   * The combined effect of renamings, without intermediate names.
   *
   * @return each table once, in an order in which each new name is free
   * @throws NotFollowed if there is no such order, since tables exchange their names
   */
  public static List<Renaming> together(List<Renaming> all) throws NotFollowed {
    Map<TableId, TableId> firstNames = new LinkedHashMap<>();
    for (Renaming each : all) {
      TableId first = firstNames.remove(each.from());
      firstNames.put(each.to(), first == null ? each.from() : first);
    }
    Map<TableId, TableId> left = new LinkedHashMap<>();
    firstNames.forEach(
        (now, first) -> {
          if (!now.equals(first)) {
            left.put(first, now);
          }
        });
    List<Renaming> ordered = new ArrayList<>();
    while (!left.isEmpty()) {
      TableId next =
          left.keySet().stream()
              .filter(first -> !left.containsKey(left.get(first)))
              .findFirst()
              .orElseThrow(() -> new NotFollowed("tables exchange their names"));
      ordered.add(new Renaming(next, left.remove(next)));
    }
    return ordered;
  }
}
