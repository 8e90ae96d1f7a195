package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.position.MariadbTransaction;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.capture.statement.SqlTokens;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.server.EqualAgain;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The transaction whose events are read: decides which events may come next, and whether changes of
 * it were rolled back. Owned by the thread that reads the log.
 */
final class DecodedTransaction {
  private boolean open;
  private boolean standalone;
  private boolean altersNothing;

  /** Whether the first statement of a MySQL transaction is still to come, which shows its kind. */
  private boolean unknownKind;

  private long commitMicros;
  private long changes;

  /** How many changes it had at each of its savepoints. */
  private final Map<String, Long> savepoints = new HashMap<>();

  void begin(MariadbTransaction begun) {
    begin();
    standalone = begun.standalone();
    altersNothing = begun.altersNothing();
  }

  void begin(MysqlTransaction begun) {
    begin();
    unknownKind = true;
    commitMicros = begun.commitMicros();
  }

  private void begin() {
    open = true;
    standalone = false;
    altersNothing = false;
    unknownKind = false;
    commitMicros = 0;
    changes = 0;
    savepoints.clear();
  }

  /**
   * Detects the kind from the first statement.
   *
   * @param statement in upper case
   */
  void reads(String statement) {
    if (unknownKind) {
      standalone = MysqlTransaction.isWhole(statement);
      unknownKind = false;
    }
  }

  /** Notes that it changes a row or a definition. */
  void changes() {
    changes++;
  }

  void end() {
    open = false;
  }

  /** Forgets a transaction that a crashed server did not finish writing: it was not committed. */
  void forgetUnfinished() {
    open = open && hasChanges();
  }

  boolean isOpen() {
    return open;
  }

  /** Whether it is a single statement, without an event for its end. */
  boolean isStandalone() {
    return standalone;
  }

  boolean altersNothing() {
    return altersNothing;
  }

  boolean hasChanges() {
    return changes > 0;
  }

  /**
   * When it was committed.
   *
   * @param last its last event, which may have the time in seconds only
   */
  long commitMicros(LogEvent last) {
    return commitMicros == 0 ? last.seconds() * 1_000_000 : commitMicros;
  }

  void savepoint(LoggedStatement statement) {
    savepoints.put(nameIn(statement), changes);
  }

  /**
   * The complete transaction was rolled back.
   *
   * @throws SluiceException.Fatal if it has changes
   */
  void rollback() {
    requireNothingUndone(0, "ROLLBACK");
  }

  /**
   * The changes after a savepoint were rolled back.
   *
   * @throws SluiceException.Fatal if there are changes
   */
  void rollbackTo(LoggedStatement statement) {
    requireNothingUndone(savepoints.getOrDefault(nameIn(statement), 0L), "ROLLBACK TO SAVEPOINT");
  }

  private static String nameIn(LoggedStatement statement) {
    List<SqlTokens.Token> tokens = SqlTokens.of(statement);
    return tokens.get(tokens.size() - 1).text().toLowerCase(Locale.ROOT);
  }

  private void requireNothingUndone(long from, String by) {
    if (changes > from) {
      throw new SluiceException.Fatal(
          new Problem(
              "the binary log",
              by
                  + " after changes of captured tables, in a transaction that also changed a table"
                  + " of an engine without transactions, such as MyISAM",
              "no such transaction: the log has its changes although they were undone",
              EqualAgain.byResyncAfter("Convert that table to InnoDB")));
    }
  }

  void requireOpen(LogEvent event) {
    if (!open) {
      throw new SluiceException.Fatal(
          "the binary log has an event of type %d outside of a transaction".formatted(event.type()),
          null);
    }
  }

  void requireClosed(LogEvent event) {
    if (open) {
      throw new SluiceException.Fatal(
          "the binary log has an event of type %d inside of a transaction".formatted(event.type()),
          null);
    }
  }
}
