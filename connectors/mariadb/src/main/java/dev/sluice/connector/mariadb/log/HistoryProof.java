package dev.sluice.connector.mariadb.log;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.GtidStop;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.search.AppliedPlaces;
import dev.sluice.connector.mariadb.capture.search.CommitTimeSearch;
import dev.sluice.connector.mariadb.capture.search.GtidStartSearch;
import dev.sluice.connector.mariadb.capture.search.GtidStopSearch;
import dev.sluice.connector.mariadb.capture.search.NamedGtids;
import dev.sluice.connector.mariadb.capture.succession.Succession;
import dev.sluice.connector.mariadb.server.EqualAgain;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * Proves that a position belongs to the history of the server that answers. Without a proof there
 * is a problem. Threadsafe.
 */
public final class HistoryProof {
  private final MariadbServer server;
  private final LogBeginnings beginnings;

  /**
   * The last result, found by the check. The start needs it again, and does not repeat the search
   * while the server has the same history there. Null before.
   */
  private volatile Behind behind;

  private record Behind(NamedGtids gtids, Position position) {}

  private volatile Begun begun = new Begun("", 0, 0);

  public HistoryProof(MariadbServer server) {
    this.server = server;
    this.beginnings = new LogBeginnings(server.endpoint());
  }

  /**
   * The history at a place; empty if the server's log has no such place.
   *
   * @throws SluiceException if the server does not answer, or the user has no right to read the log
   */
  public Optional<LogHistory> at(BinlogPosition place) {
    return server.read(
        "read the history of the binary log at " + place,
        session -> LogHistory.read(session, beginnings, LogServer.base(session), place));
  }

  /**
   * The history at a position of this task.
   *
   * @throws SluiceException.Fatal if the history differs
   */
  public LogHistory require(Position position) {
    Optional<LogHistory> found = at(BinlogPosition.of(position));
    Optional<Problem> problem = problemOf(position, found);
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
    return found.orElseThrow();
  }

  /**
   * The problem of a position of this task; empty if it was taken in the history that was found.
   *
   * @param found at the position's place
   */
  static Optional<Problem> problemOf(Position position, Optional<LogHistory> found) {
    BinlogPosition place = BinlogPosition.of(position);
    if (found.isEmpty()) {
      return Optional.of(
          new Problem(
              "source",
              "nothing of its binary log ends at " + place,
              "the log in which target or journal have all changes up to there, position "
                  + position,
              EqualAgain.WITH_ANOTHER_LOG));
    }
    return found.get().has(position)
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "source",
                "its binary log %s has another history: at %s it has %s, position %s"
                    .formatted(found.get().base(), place, found.get(), place.position(found.get())),
                "the history in which target or journal have all changes up to there, position "
                    + position,
                EqualAgain.WITH_ANOTHER_LOG));
  }

  /**
   * Converts a text of the task file to a position of this history.
   *
   * @param text a file and an offset, or GTIDs
   * @throws SluiceException.Fatal if the log has no such place
   */
  Position named(String text) {
    Optional<NamedGtids> gtids = namedBy(text);
    return gtids.isPresent() ? behind(gtids.get()) : named(BinlogPosition.ofTaskFile(text));
  }

  /**
   * Requires that a task can stop after a text's transactions on this server.
   *
   * @param text of the task file
   * @throws SluiceException.Fatal if the server names no transactions
   */
  public void requireStop(String text) {
    namedBy(text)
        .ifPresent(
            named ->
                named.requireFitToStop(
                    server.read("ask whether transactions have names", LogServer::read)));
  }

  /**
   * Looks for the place at which a task stops, up to the start of its capture.
   *
   * @param text of the task file
   * @param applied how much of the log the target has
   * @param stop gets the result, unless the text is a file and an offset
   * @throws SluiceException.Fatal if the target has more
   */
  public void lookForStop(String text, AppliedPlaces applied, Position start, GtidStop stop) {
    Optional<NamedGtids> named = namedBy(text);
    // The result of an earlier capture may be a place in another server's log.
    if (named.isEmpty()) {
      return;
    }
    search(
        text,
        (session, asked) -> {
          new GtidStopSearch(asked, beginnings, named.get())
              .begin(stop, BinlogFiles.read(session).names(), applied, BinlogPosition.of(start));
          return stop;
        });
  }

  private Optional<NamedGtids> namedBy(String text) {
    return NamedGtids.parse(Flavour.ofType(server.endpoint().type()), text);
  }

  private Position behind(NamedGtids gtids) {
    Optional<Position> known =
        Optional.ofNullable(behind)
            .filter(last -> last.gtids().equals(gtids))
            .map(Behind::position)
            .filter(
                position ->
                    at(BinlogPosition.of(position)).filter(at -> at.has(position)).isPresent());
    if (known.isPresent()) {
      return known.get();
    }
    BinlogPosition found =
        search(
            gtids.toString(),
            (session, asked) ->
                new GtidStartSearch(asked, beginnings, gtids)
                    .find(BinlogFiles.read(session).names()));
    behind = new Behind(gtids, positionOf(found));
    return behind.position();
  }

  private Position named(Position position) {
    BinlogPosition place = BinlogPosition.of(position);
    String base = base();
    Optional<LogHistory> found = at(place);
    if (!place.named(base).equals(position) || found.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-start-position",
              place.named(base).equals(position)
                  ? "the binary log has nothing that ends at %s:%d"
                      .formatted(place.fileName(base), place.offset())
                  : "a file of another name than the server's log has: its files begin with "
                      + base,
              "the end of a transaction, or of the log, as SHOW MASTER STATUS has it",
              "Correct cdc-start-position"));
    }
    return place.position(found.get());
  }

  /**
   * The position before the first transaction that was committed at a time or later.
   *
   * @param end the log's files; the search ends at the log's end
   * @throws SluiceException.Fatal if the log does not go back to the time
   */
  Position before(Instant time, BinlogFiles files, BinlogPosition end) {
    return positionOf(
        search(
            "a commit at " + time,
            (session, asked) ->
                new CommitTimeSearch(asked, beginnings).before(time, files.names(), end)));
  }

  private Position positionOf(BinlogPosition found) {
    return found.position(
        at(found)
            .orElseThrow(
                () ->
                    new SluiceException.Retryable(
                        "the binary log was removed up to " + found + " while it was read", null)));
  }

  /** Where the server's log has exactly the transactions of a bookmark before it. */
  public Succession succession(LogBookmark then) {
    return search(
        then.lastGtid(), (session, asked) -> Succession.find(session, asked, beginnings, then));
  }

  private interface Search<T> {
    T in(Connection session, LogServer asked) throws SQLException;
  }

  private <T> T search(String wanted, Search<T> search) {
    return server.read(
        "search the binary log for " + wanted,
        session -> {
          LogServer asked = LogServer.read(session);
          T found = search.in(session, asked);
          requireStill(asked);
          return found;
        });
  }

  /**
   * Requires that the address still leads to the same server, since the log was read in other
   * sessions.
   */
  private void requireStill(LogServer asked) throws SQLException {
    try (Connection after = server.open()) {
      if (!LogServer.identity(new MariadbQuery(after)).equals(asked.identity())) {
        throw new SluiceException.Retryable(
            "the address of the source leads to another server than when its log was searched",
            null);
      }
    }
  }

  /**
   * When a file of the log was begun, seconds since 1970. Kept for the last file.
   *
   * @param timeline of the server that has it
   * @throws SluiceException if the log cannot be read
   */
  long begun(String file, int timeline) {
    Begun known = begun;
    if (!known.file().equals(file) || known.timeline() != timeline) {
      known = new Begun(file, timeline, beginnings.secondsOf(file));
      begun = known;
    }
    return known.seconds();
  }

  private record Begun(String file, int timeline, long seconds) {}

  private String base() {
    return server.read("read the name of the binary log", LogServer::base);
  }
}
