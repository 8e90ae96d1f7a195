package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds statements of a binary log that may have given a table its current definition or name,
 * after the place at which a task starts. Any statement with the table's name counts, except those
 * that certainly keep the definition. Immutable.
 */
final class LoggedNames {
  private static final int AS_IT_STARTS = Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;

  private static final Pattern DATABASE = Pattern.compile("^use `(?:[^`]|``)*`; ", AS_IT_STARTS);
  private static final Pattern HARMLESS =
      Pattern.compile(
          "^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|TRUNCATE|ANALYZE|GRANT|REVOKE)\\b.*",
          AS_IT_STARTS | Pattern.DOTALL);
  private static final Pattern PREPARED = Pattern.compile("^XA\\s+COMMIT\\b", AS_IT_STARTS);

  /** Replaces bytes that could not be decoded. */
  private static final char NOT_READ = '\uFFFD';

  private static final int SHOWN = 200;

  private final Map<TableId, Pattern> names = new LinkedHashMap<>();

  LoggedNames(Collection<TableId> tables) {
    tables.forEach(
        table ->
            names.put(
                table,
                Pattern.compile(
                    "(?<![\\w$])(?:" + spellings(table.name()) + ")(?![\\w$])",
                    AS_IT_STARTS | Pattern.UNICODE_CHARACTER_CLASS)));
  }

  /** Within grave accents, and within the quotes of the mode ANSI_QUOTES. */
  private static String spellings(String name) {
    return Stream.of(name.replace("`", "``"), name.replace("\"", "\"\""))
        .map(Pattern::quote)
        .collect(Collectors.joining("|"));
  }

  /**
   * Why the changes before a statement may not be read as they were written.
   *
   * @param event as SHOW BINLOG EVENTS prints it
   */
  Optional<Problem> problem(String event, String file, long offset) {
    String statement = DATABASE.matcher(event).replaceFirst("").strip();
    if (PREPARED.matcher(statement).find()) {
      return Optional.of(
          problem(
              "cdc-start-position",
              "a transaction of XA was committed at %s:%d, which may have been prepared before the start"
                  .formatted(file, offset)));
    }
    if (HARMLESS.matcher(statement).matches()) {
      return Optional.empty();
    }
    if (statement.indexOf(NOT_READ) >= 0) {
      return Optional.of(
          problem(
              "cdc-start-position",
              "after the start, at %s:%d, the log has a statement that is not UTF-8, so the tables that it names are not known: %s"
                  .formatted(file, offset, shown(statement))));
    }
    return names.entrySet().stream()
        .filter(name -> name.getValue().matcher(statement).find())
        .findFirst()
        .map(
            name ->
                problem(
                    "table " + name.getKey(),
                    "after the start, at %s:%d, the log has a statement with its name: %s"
                        .formatted(file, offset, shown(statement))));
  }

  private static String shown(String statement) {
    return statement.length() <= SHOWN ? statement : statement.substring(0, SHOWN) + "…";
  }

  private static Problem problem(String thing, String found) {
    return new Problem(
        thing,
        found,
        "a log in which nothing after the start may change how its rows are read: Debezium would"
            + " take them by the present definitions",
        LogStart.loadOr("Start after that place"));
  }
}
