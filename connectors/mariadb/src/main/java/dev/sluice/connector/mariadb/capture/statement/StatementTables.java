package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.capture.statement.SqlTokens.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a statement of the binary log does, and to which tables. Immutable.
 *
 * @param kind what it does
 * @param what its first words, for messages
 * @param tables the tables that it changes; of DROP DATABASE one without a name
 */
public record StatementTables(Kind kind, String what, List<TableId> tables) {

  /** What a statement does. */
  public enum Kind {
    /** It changes no table, or only temporary ones. */
    HARMLESS,
    /** It changes rows; the log should have these rows instead. */
    ROWS,
    /** It creates a table, or does nothing if the table exists. */
    CREATE,
    /** It empties a table. */
    TRUNCATE,
    /** It drops a database with all tables. */
    DROP_DATABASE,
    /** It changes the definitions of tables. */
    DEFINITION,
    /** Its effect is not known; the tables are all names in it. */
    UNKNOWN
  }

  private static final Set<String> ROW_STATEMENTS =
      Set.of(
          "INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD", "CALL", "DO", "SELECT", "WITH", "VALUES",
          "IMPORT");

  private static final Set<String> HARMLESS_STATEMENTS =
      Set.of(
          "GRANT",
          "REVOKE",
          "FLUSH",
          "ANALYZE",
          "OPTIMIZE",
          "REPAIR",
          "CHECK",
          "SET",
          "INSTALL",
          "UNINSTALL",
          "RESET",
          "USE",
          "SHOW",
          "LOCK",
          "UNLOCK",
          "KILL",
          "CACHE",
          "PURGE");

  /** The words after ANALYZE that only collect statistics; otherwise it runs a statement. */
  private static final Set<String> ANALYZED =
      Set.of("TABLE", "TABLES", "LOCAL", "NO_WRITE_TO_BINLOG");

  /** Objects whose definitions have nothing to do with the rows of tables. */
  private static final Set<String> OTHER_OBJECTS =
      Set.of(
          "USER",
          "ROLE",
          "PROCEDURE",
          "FUNCTION",
          "TRIGGER",
          "EVENT",
          "VIEW",
          "SERVER",
          "PACKAGE",
          "TEMPORARY",
          "SEQUENCE",
          "LOGFILE",
          "TABLESPACE");

  public StatementTables {
    tables = List.copyOf(tables);
  }

  public static StatementTables of(LoggedStatement statement) {
    return new Reading(statement.database(), SqlTokens.of(statement)).read();
  }

  /** Reads the words of one statement. */
  private static final class Reading {
    private final String database;
    private List<Token> tokens;
    private final List<TableId> tables = new ArrayList<>();

    Reading(String database, List<Token> tokens) {
      this.database = database;
      this.tokens = tokens;
    }

    StatementTables read() {
      while (word(0).equals("SET") && word(1).equals("STATEMENT")) {
        int behind = behindFor();
        if (behind == 0) {
          return unknown("SET STATEMENT");
        }
        tokens = tokens.subList(behind, tokens.size());
      }
      String first = word(0);
      if (first.equals("ANALYZE") && !ANALYZED.contains(word(1))) {
        return new StatementTables(Kind.ROWS, first, tables);
      }
      if (ROW_STATEMENTS.contains(first)) {
        return new StatementTables(Kind.ROWS, first, tables);
      }
      if (HARMLESS_STATEMENTS.contains(first)) {
        return new StatementTables(Kind.HARMLESS, first, tables);
      }
      return switch (first) {
        case "CREATE", "ALTER", "DROP", "RENAME" -> definition(first);
        case "TRUNCATE" -> truncate();
        default -> unknown(first);
      };
    }

    /** The index after SET STATEMENT … FOR; 0 if there is no FOR. */
    private int behindFor() {
      int depth = 0;
      for (int i = 2; i < tokens.size(); i++) {
        if (depth == 0 && tokens.get(i).is("FOR")) {
          return i + 1;
        }
        depth += tokens.get(i).is("(") ? 1 : tokens.get(i).is(")") ? -1 : 0;
      }
      return 0;
    }

    private StatementTables truncate() {
      name(word(1).equals("TABLE") ? 2 : 1);
      return tables.isEmpty()
          ? unknown("TRUNCATE")
          : new StatementTables(Kind.TRUNCATE, "TRUNCATE TABLE", tables);
    }

    private StatementTables definition(String verb) {
      int object = object();
      String what = verb + " " + word(object);
      if (OTHER_OBJECTS.contains(word(object))) {
        return new StatementTables(Kind.HARMLESS, what, tables);
      }
      return switch (word(object)) {
        case "DATABASE", "SCHEMA" -> database(verb, what, object);
        case "INDEX" -> index(what, object);
        case "TABLE", "TABLES" -> table(verb, what, object);
        default -> unknown(what);
      };
    }

    /**
     * The index of the kind of object. Other words may be between it and the verb, such as OR
     * REPLACE, ONLINE, UNIQUE or DEFINER=…
     */
    private int object() {
      for (int i = 1; i < tokens.size(); i++) {
        String word = word(i);
        boolean kind =
            OTHER_OBJECTS.contains(word)
                || List.of("TABLE", "TABLES", "INDEX", "DATABASE", "SCHEMA").contains(word);
        if (kind) {
          return i;
        }
      }
      return 1;
    }

    private StatementTables database(String verb, String what, int object) {
      boolean replaced = verb.equals("CREATE") && word(1).equals("OR");
      if (!verb.equals("DROP") && !replaced) {
        return new StatementTables(Kind.HARMLESS, what, tables);
      }
      int at = behindCondition(object + 1);
      String dropped = at < tokens.size() ? tokens.get(at).text() : database;
      return new StatementTables(Kind.DROP_DATABASE, what, List.of(new TableId(dropped, "")));
    }

    private StatementTables index(String what, int object) {
      for (int i = object + 1; i < tokens.size(); i++) {
        if (tokens.get(i).is("ON")) {
          name(i + 1);
          return new StatementTables(Kind.DEFINITION, what, tables);
        }
      }
      return unknown(what);
    }

    private StatementTables table(String verb, String what, int object) {
      int at = behindCondition(object + 1);
      switch (verb) {
        case "DROP" -> {
          do {
            at = name(at) + 1;
          } while (at <= tokens.size() && tokens.get(at - 1).is(","));
        }
        case "RENAME" -> {
          name(at);
          for (int i = at; i < tokens.size(); i++) {
            if (tokens.get(i).is("TO") || tokens.get(i).is(",")) {
              name(behindCondition(i + 1));
            }
          }
        }
        case "ALTER" -> {
          name(at);
          // EXCHANGE PARTITION … WITH TABLE, CONVERT … TO TABLE, RENAME TO.
          for (int i = at; i < tokens.size(); i++) {
            if (tokens.get(i).is("TABLE") || tokens.get(i).is("RENAME")) {
              boolean to = word(i + 1).equals("TO") || word(i + 1).equals("AS");
              name(to ? i + 2 : i + 1);
            }
          }
        }
        default -> {
          // The table did not exist before, or it still exists: with IF NOT EXISTS nothing happens
          // then.
          name(at);
          if (!word(1).equals("OR")) {
            return new StatementTables(Kind.CREATE, what, tables);
          }
        }
      }
      return tables.isEmpty() ? unknown(what) : new StatementTables(Kind.DEFINITION, what, tables);
    }

    /** Every name may be that of a table. */
    private StatementTables unknown(String what) {
      tables.clear();
      for (int i = 0; i < tokens.size(); i++) {
        if (tokens.get(i).isName()) {
          name(i);
        }
      }
      return new StatementTables(Kind.UNKNOWN, what, tables);
    }

    /** The index after IF EXISTS or IF NOT EXISTS, if one is there. */
    private int behindCondition(int at) {
      if (!word(at).equals("IF")) {
        return at;
      }
      return word(at + 1).equals("NOT") ? at + 3 : at + 2;
    }

    /** Adds the name of a table, which may have a database. Returns the index after it. */
    private int name(int at) {
      if (at >= tokens.size() || !tokens.get(at).isName()) {
        return at + 1;
      }
      String name = tokens.get(at).text();
      if (at + 2 < tokens.size() && tokens.get(at + 1).is(".") && tokens.get(at + 2).isName()) {
        tables.add(new TableId(name, tokens.get(at + 2).text()));
        return at + 3;
      }
      tables.add(new TableId(database, name));
      return at + 1;
    }

    private String word(int at) {
      return at < tokens.size() ? tokens.get(at).keyword() : "";
    }
  }
}
