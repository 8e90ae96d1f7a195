package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/*
 * The library's grammar of MariaDB (debezium-ddl-parser) ignores sql_mode, skips comments that the
 * server executes, and accepts more than the server. Here a statement is followed only if each word
 * of it is expected.
 */
/** Reads ALTER TABLE. Refuses everything whose effect is not certain. Stateless. */
public final class AlterText {
  private static final Set<String> INDEX_WORDS =
      Set.of("INDEX", "KEY", "FULLTEXT", "SPATIAL", "UNIQUE");
  private static final Set<String> CONSTRAINT_WORDS = Set.of("CONSTRAINT", "FOREIGN", "CHECK");
  private static final Set<String> OPTIONS =
      Set.of(
          "COMMENT",
          "AUTO_INCREMENT",
          "ALGORITHM",
          "LOCK",
          "ROW_FORMAT",
          "KEY_BLOCK_SIZE",
          "STATS_PERSISTENT",
          "STATS_AUTO_RECALC",
          "STATS_SAMPLE_PAGES");

  private AlterText() {}

  /**
   * @param table its exact name
   * @throws NotFollowed if anything is not certain
   */
  public static List<AlterClause> read(TableId table, LoggedStatement statement)
      throws NotFollowed {
    statement.requirePlain();
    SqlWords words = new SqlWords(SqlTokens.of(statement));
    if (!words.accept("ALTER")) {
      throw new NotFollowed("it begins with " + words.next());
    }
    words.accept("ONLINE");
    if (!words.accept("TABLE")) {
      throw new NotFollowed("it has " + words.next());
    }
    words.accept("IF", "EXISTS");
    words.name();
    if (words.accept(".")) {
      words.name();
    }
    if (words.accept("WAIT")) {
      words.number();
    } else {
      words.accept("NOWAIT");
    }
    List<AlterClause> clauses = new ArrayList<>();
    for (SqlWords clause : words.divided()) {
      clauses.add(clause(table, clause, statement.database()));
    }
    return clauses;
  }

  /**
   * Reads DROP INDEX … ON.
   *
   * @throws NotFollowed if it may drop the primary key
   */
  public static AlterClause dropIndex(LoggedStatement statement) throws NotFollowed {
    SqlWords words = new SqlWords(SqlTokens.of(statement));
    if (!words.accept("DROP", "INDEX") && !words.accept("DROP", "ONLINE", "INDEX")) {
      throw new NotFollowed("it begins with " + words.next());
    }
    requireNoKey(words);
    return new AlterClause.DropIndex();
  }

  /**
   * The primary key can also be dropped as an index or a constraint with the name PRIMARY, in upper
   * or lower case.
   */
  private static void requireNoKey(SqlWords words) throws NotFollowed {
    words.accept("IF", "EXISTS");
    Optional<String> index = words.name();
    if (index.isEmpty() || index.get().equalsIgnoreCase("PRIMARY")) {
      throw new NotFollowed("the key changes");
    }
  }

  private static AlterClause clause(TableId table, SqlWords words, String database)
      throws NotFollowed {
    String first = words.next();
    String second = words.next(1);
    return switch (first) {
      case "ADD" -> add(table, words, second);
      case "DROP" -> drop(words, second);
      case "CHANGE" -> {
        words.skip(1);
        words.accept("COLUMN");
        String column = name(words);
        yield new AlterClause.Redefine(column, ColumnText.read(table, words));
      }
      case "MODIFY" -> {
        words.skip(1);
        words.accept("COLUMN");
        ColumnText now = ColumnText.read(table, words);
        yield new AlterClause.Redefine(now.name(), now);
      }
      case "RENAME" -> rename(words, second, database);
      case "ALTER" -> {
        // ALTER of a default, or of the visibility of an index.
        if (words.contains("DEFAULT") || second.equals("INDEX") || second.equals("KEY")) {
          yield new AlterClause.Nothing();
        }
        throw unknown(first, second);
      }
      default -> option(words, first, second);
    };
  }

  private static AlterClause add(TableId table, SqlWords words, String second) throws NotFollowed {
    if (INDEX_WORDS.contains(second)) {
      return new AlterClause.Nothing();
    }
    if (CONSTRAINT_WORDS.contains(second)) {
      if (words.contains("PRIMARY") || words.contains("CASCADE") || words.contains("SET")) {
        throw new NotFollowed(
            "the key changes, or a foreign key whose changes of rows are not in the log comes");
      }
      return new AlterClause.Nothing();
    }
    words.skip(1);
    words.accept("COLUMN");
    boolean unlessThere = words.accept("IF", "NOT", "EXISTS");
    if (words.next().equals("(")) {
      throw new NotFollowed("it adds columns in parentheses");
    }
    requireName(words, "ADD");
    return new AlterClause.Add(ColumnText.read(table, words), unlessThere);
  }

  private static AlterClause drop(SqlWords words, String second) throws NotFollowed {
    switch (second) {
      case "CHECK" -> {
        return new AlterClause.DropIndex();
      }
      case "INDEX", "KEY", "CONSTRAINT" -> {
        words.skip(2);
        requireNoKey(words);
        requireEnd(words, "DROP " + second);
        return new AlterClause.DropIndex();
      }
      case "FOREIGN" -> {
        return new AlterClause.Nothing();
      }
      default -> {
        words.skip(1);
        words.accept("COLUMN");
        boolean ifThere = words.accept("IF", "EXISTS");
        requireName(words, "DROP");
        String column = name(words);
        requireEnd(words, "DROP");
        return new AlterClause.Drop(column, ifThere);
      }
    }
  }

  private static AlterClause rename(SqlWords words, String second, String database)
      throws NotFollowed {
    if (second.equals("INDEX") || second.equals("KEY")) {
      return new AlterClause.Nothing();
    }
    if (!words.accept("RENAME", "COLUMN")) {
      words.skip(1);
      if (!words.accept("TO") && !words.accept("AS")) {
        words.accept("=");
      }
      TableId name = Renaming.table(words, database);
      requireEnd(words, "RENAME");
      return new AlterClause.RenameTable(name);
    }
    String column = name(words);
    if (!words.accept("TO")) {
      throw unknown("RENAME", "COLUMN");
    }
    String name = name(words);
    requireEnd(words, "RENAME COLUMN");
    return new AlterClause.Rename(column, name);
  }

  private static AlterClause option(SqlWords words, String first, String second)
      throws NotFollowed {
    if (first.equals("FORCE")) {
      words.skip(1);
      requireEnd(words, first);
      return new AlterClause.Nothing();
    }
    if ((first.equals("ENABLE") || first.equals("DISABLE")) && second.equals("KEYS")) {
      words.skip(2);
      requireEnd(words, first);
      return new AlterClause.Nothing();
    }
    if (first.equals("ENGINE")) {
      words.skip(1);
      words.accept("=");
      if (!words.accept("INNODB")) {
        throw unknown(first, words.next());
      }
      requireEnd(words, first);
      return new AlterClause.Engine();
    }
    boolean ofDefault = words.accept("DEFAULT");
    boolean known =
        !ofDefault && OPTIONS.contains(first)
            || words.next().equals("CHARSET")
            || words.next().equals("COLLATE")
            || words.accept("CHARACTER", "SET");
    if (!known) {
      throw unknown(first, second);
    }
    if (OPTIONS.contains(first)
        || words.next().equals("CHARSET")
        || words.next().equals("COLLATE")) {
      words.skip(1);
    }
    words.accept("=");
    words.skip(1);
    requireEnd(words, first);
    return new AlterClause.Nothing();
  }

  private static String name(SqlWords words) throws NotFollowed {
    return words.name().orElseThrow(() -> new NotFollowed("a column's name cannot be read"));
  }

  private static void requireName(SqlWords words, String what) throws NotFollowed {
    if (words.isAtEnd()) {
      throw unknown(what, "");
    }
  }

  private static void requireEnd(SqlWords words, String what) throws NotFollowed {
    if (!words.isAtEnd()) {
      throw unknown(what, "… " + words.next());
    }
  }

  private static NotFollowed unknown(String first, String second) {
    return new NotFollowed("what %s %s does to rows is not known here".formatted(first, second));
  }
}
