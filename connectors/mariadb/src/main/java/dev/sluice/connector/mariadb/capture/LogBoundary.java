package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.MariadbTransaction;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.server.Flavour;
import java.util.Optional;

/**
 * The end of the last complete transaction that was read, or of what came behind it, and what the
 * log has there. Owned by the thread that reads the log.
 */
final class LogBoundary {
  private BinlogPosition place;

  /** Of the place; behind a change of the file once the file is described. */
  private LogHistory history;

  /** Of the open transaction, once it is complete. */
  private LogHistory opened;

  private boolean described;
  private LoggedTransactions transactions = LoggedTransactions.unknown();

  /**
   * @param start between two transactions
   * @param history what the server has said of that place
   */
  LogBoundary(BinlogPosition start, LogHistory history) {
    this.place = start;
    this.history = history;
    this.opened = history;
  }

  /** From here on each end says which transactions were read up to there. */
  void naming(LoggedTransactions listener) {
    transactions = listener;
    transactions.reach(place);
  }

  BinlogPosition place() {
    return place;
  }

  LogHistory history() {
    return history;
  }

  /** An event of the log, with its time in seconds. */
  void event(long seconds) {
    transactions.event(seconds);
  }

  void begin(MariadbTransaction transaction) {
    opened = history.after(transaction.name());
    transactions.begin(transaction.gtid());
  }

  void begin(MysqlTransaction transaction) {
    opened = history.after(transaction.name());
    transactions.begin(transaction);
  }

  /**
   * The transaction that was begun last is complete.
   *
   * @param last its last event
   * @return empty if no position says where it ends. The server begins another file behind it, as
   *     it does behind every gibibyte, and the first position there is behind this transaction.
   */
  Optional<SourceEvent> commit(LogEvent last, long commitMicros) {
    history = opened;
    if (last.end() > BinlogPosition.LARGEST_OFFSET) {
      transactions.committed(place);
      return Optional.empty();
    }
    place = place.at(last.end());
    transactions.committed(place);
    return Optional.of(committed(commitMicros));
  }

  /**
   * An event outside of transactions is read, so that an idle log is known to be read.
   *
   * @return empty if it says of no later place
   */
  Optional<SourceEvent> advance(LogEvent event) {
    if (event.end() <= place.offset() || event.end() > BinlogPosition.LARGEST_OFFSET) {
      return Optional.empty();
    }
    place = place.at(event.end());
    transactions.reach(place);
    return Optional.of(committed(event.seconds() * 1_000_000));
  }

  private SourceEvent committed(long micros) {
    return new SourceEvent.Committed(
        place.position(history), micros, place.number(), transactions.bookmark());
  }

  /**
   * A file begins. The server that was asked and the one that sends the log may be two behind one
   * address.
   *
   * @param description the file's first event
   */
  void describe(LogEvent description) {
    if (!described && description.seconds() != history.begun()) {
      throw UnreadableEvent.ofAnotherLog(
          "a file that was begun at another time than the server has just said (%s): it is another server's"
              .formatted(history));
    }
    described = true;
    history = history.inFile(description.seconds());
  }

  /**
   * The log goes on in another file.
   *
   * @param name of the file
   * @param offset at which its next event begins
   */
  void rotate(String name, long offset, Flavour flavour) {
    BinlogPosition next = BinlogPosition.of(name, offset).on(place.timeline());
    if (next.file() < place.file()) {
      throw UnreadableEvent.ofAnotherLog(
          "a step back from file %d to file %d: the server began its log again"
              .formatted(place.file(), next.file()));
    }
    if (next.file() > place.file() && flavour == Flavour.MYSQL) {
      history = history.withoutTransaction();
    }
    if (next.compareTo(place) > 0) {
      place = next;
    }
  }
}
