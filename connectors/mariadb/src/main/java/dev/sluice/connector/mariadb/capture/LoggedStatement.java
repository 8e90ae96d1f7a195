package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/*
 * The body of a QUERY event: thread 4 | seconds 4 | length of the database 1 | error 2 | length of the
 * variables 2 | variables | database, 0 | statement. A variable: code 1 | value, whose form depends on
 * the code; those that are needed come among the first.
 */
/**
 * A statement in the binary log. Immutable.
 *
 * @param database the session's default database
 * @param ansiQuotes whether double quotes enclose names
 * @param backslashEscapes whether a backslash escapes in a text
 */
public record LoggedStatement(
    String database, String text, boolean ansiQuotes, boolean backslashEscapes) {
  private static final int FLAGS = 0;
  private static final int SQL_MODE = 1;
  private static final int AUTO_INCREMENT = 3;
  private static final int CHARACTER_SET = 4;
  private static final int CATALOG = 6;

  private static final long ANSI_QUOTES = 4;
  private static final long NO_BACKSLASH_ESCAPES = 1 << 20;

  /** The number of latin1's default collation. */
  private static final int LATIN1 = 8;

  static LoggedStatement read(LogEvent event) {
    LogBytes body = event.body();
    body.skip(8);
    int databaseLength = body.next();
    body.skip(2);
    LogBytes variables = body.part((int) body.number(2));
    String database = body.text(databaseLength);
    body.skip(1);
    LogBytes statement =
        event.type() == EventType.COMPRESSED_QUERY ? Compressed.inflate(body) : body;
    long mode = 0;
    Charset set = StandardCharsets.UTF_8;
    boolean known = true;
    while (known && variables.hasMore()) {
      switch (variables.next()) {
        case FLAGS, AUTO_INCREMENT -> variables.skip(4);
        case SQL_MODE -> mode = variables.number(8);
        case CATALOG -> variables.skip(variables.next());
        case CHARACTER_SET -> {
          if (variables.number(2) == LATIN1) {
            set = StandardCharsets.ISO_8859_1;
          }
          known = false;
        }
        default -> known = false;
      }
    }
    String text =
        new String(statement.array(), statement.at(), statement.end() - statement.at(), set);
    return new LoggedStatement(
        database, text, (mode & ANSI_QUOTES) != 0, (mode & NO_BACKSLASH_ESCAPES) == 0);
  }

  /** Whether it is exactly this word, such as COMMIT. */
  boolean is(String word) {
    return text.equalsIgnoreCase(word);
  }

  /**
   * Fails because a statement changed rows and the log has no rows of it.
   *
   * @param what the kind of statement
   */
  static SluiceException asStatement(String what) {
    return new SluiceException.Fatal(
        new Problem(
            "the binary log",
            "%s as a statement, without the rows that it changed".formatted(what),
            "binlog_format=ROW in every session",
            "Set it, and load the tables again: sluice stop --drop, and then sluice run"));
  }
}
