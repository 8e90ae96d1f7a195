package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.stream.Compressed;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.server.EqualAgain;
import dev.sluice.connector.mariadb.type.CharacterSet;
import dev.sluice.connector.mariadb.type.Collations;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/*
 * The body of a QUERY event: thread 4 | seconds of running 4 | length of the database 1 | error 2 | length of the
 * variables 2 | variables | database, 0 | statement.
 */
/**
 * A statement in the binary log. Immutable.
 *
 * @param database the session's default database
 * @param ansiQuotes whether double quotes enclose names
 * @param backslashEscapes whether a backslash escapes in a text
 * @param exact whether the text is what the session wrote; otherwise names in it may differ
 * @param run how it ran
 */
public record LoggedStatement(
    String database,
    String text,
    boolean ansiQuotes,
    boolean backslashEscapes,
    boolean exact,
    Run run) {

  /**
   * How a statement ran.
   *
   * @param seconds when it began, since 1970
   * @param mode the session's
   * @param failed whether it ended with an error, so that only a part of it may be executed
   * @param withXid whether MySQL wrote it, or may have, together with a change in the storage
   *     engine
   * @param ofSession whether a table in it may be a temporary one of the session
   */
  public record Run(
      long seconds, SqlMode mode, boolean failed, boolean withXid, boolean ofSession) {}

  private static final long ANSI_QUOTES = 4;
  private static final long NO_BACKSLASH_ESCAPES = 1 << 20;

  public static LoggedStatement read(LogEvent event, Collations collations) {
    LogBytes body = event.body();
    body.skip(8);
    int databaseLength = body.next();
    boolean failed = body.number(2) != 0;
    StatementVariables variables = StatementVariables.read(body.part((int) body.number(2)));
    String database = body.text(databaseLength);
    body.skip(1);
    LogBytes statement =
        event.type() == EventType.COMPRESSED_QUERY ? Compressed.inflate(body) : body;
    Optional<String> set =
        variables.collation().isPresent()
            ? Optional.ofNullable(collations.characterSets().get(variables.collation().getAsInt()))
            : Optional.of("utf8mb4");
    long mode = variables.mode();
    byte[] bytes = Arrays.copyOfRange(statement.array(), statement.at(), statement.end());
    Optional<String> text = set.flatMap(name -> CharacterSet.textOf(name, bytes));
    return new LoggedStatement(
        database,
        text.orElseGet(() -> new String(bytes, StandardCharsets.ISO_8859_1)),
        (mode & ANSI_QUOTES) != 0,
        (mode & NO_BACKSLASH_ESCAPES) == 0,
        text.isPresent(),
        new Run(
            event.seconds(), SqlMode.of(mode), failed, variables.withXid(), event.isOfSession()));
  }

  /** Whether it is exactly this word, such as COMMIT. */
  boolean is(String word) {
    return text.equalsIgnoreCase(word);
  }

  /** Fails if it has a comment that some releases execute. */
  public void requirePlain() throws NotFollowed {
    if (text.contains("/*!") || text.contains("/*M!")) {
      throw new NotFollowed("it has a comment that the server may have executed");
    }
  }

  /**
   * The failure that a statement changed rows and the log does not have these rows.
   *
   * @param what the kind of statement
   */
  public static SluiceException asStatement(String what) {
    return new SluiceException.Fatal(
        new Problem(
            "the binary log",
            "%s as a statement, without the rows that it changed".formatted(what),
            "binlog_format=ROW in every session",
            EqualAgain.byResyncAfter("Set it")));
  }
}
