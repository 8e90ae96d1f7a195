package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.BinlogDecoder;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import java.util.List;

/**
 * Finds the place of the binary log that has exactly the transactions of a list of GTIDs before it.
 * Servers may log transactions in different orders, so there may be no such place. Used by one
 * thread.
 */
public final class GtidStartSearch {
  private final LogServer server;
  private final LogBeginnings beginnings;
  private final NamedGtids have;

  /**
   * @param server as it answered just before
   * @param have the transactions that the target has
   */
  public GtidStartSearch(LogServer server, LogBeginnings beginnings, NamedGtids have) {
    this.server = server;
    this.beginnings = beginnings;
    this.have = have;
  }

  /**
   * The place.
   *
   * @param files of the log, oldest first
   * @throws SluiceException.Fatal if the log has no such place, or cannot be read
   */
  public BinlogPosition find(List<String> files) {
    have.unfit(server)
        .ifPresent(
            problem -> {
              throw refused(problem, files);
            });
    for (int i = files.size() - 1; i >= 0; i--) {
      GtidBoundary boundary = have.from(files.get(i), beginnings, server).orElse(null);
      if (boundary != null && !boundary.isComplete()) {
        return scan(files.get(i), boundary, null, files);
      }
      if (boundary != null) {
        BinlogPosition place = BinlogPosition.of(files.get(i), BinlogPosition.FIRST_EVENT);
        return throughFilesWithoutGtids(i, boundary, place, files);
      }
    }
    throw refused("its log does not go back to the first one that is not among them", files);
  }

  /**
   * Earlier files that begin after the same GTIDs contain no GTIDs, but may contain transactions.
   */
  private BinlogPosition throughFilesWithoutGtids(
      int newest, GtidBoundary ofNewest, BinlogPosition place, List<String> files) {
    int oldest = newest;
    GtidBoundary ofOldest = ofNewest;
    while (oldest > 0) {
      GtidBoundary earlier = have.from(files.get(oldest - 1), beginnings, server).orElse(null);
      if (earlier == null || !earlier.isComplete()) {
        break;
      }
      ofOldest = earlier;
      oldest--;
    }
    return scan(files.get(oldest), ofOldest, place, files);
  }

  /**
   * Reads on to the first transaction after the place.
   *
   * @param known the place if the file begins after all of them; otherwise null
   */
  private BinlogPosition scan(
      String file, GtidBoundary boundary, BinlogPosition known, List<String> files) {
    BinlogPosition begin = BinlogPosition.of(file, BinlogPosition.FIRST_EVENT);
    BinlogDecoder decoder =
        BinlogDecoder.ofTransactions(
                server, begin, new LogHistory(server.base(), beginnings.secondsOf(file), ""))
            .naming(boundary);
    BinlogPosition[] place = {known};
    try {
      beginnings.read(
          file,
          event -> {
            decoder.decode(event);
            for (SourceEvent each : decoder.take().events()) {
              if (place[0] == null && boundary.isComplete() && !boundary.isPassed()) {
                place[0] = BinlogPosition.of(((SourceEvent.Committed) each).position());
              }
            }
            return !boundary.isPassed()
                && boundary.foreign().isEmpty()
                && decoder.boundary().compareTo(server.end()) < 0;
          });
    } catch (SluiceException.Fatal e) {
      throw refused(
          "its log cannot be read after %s: %s"
              .formatted(
                  decoder.boundary(),
                  e.problems().isEmpty() ? e.getMessage() : e.problems().get(0).found()),
          files);
    }
    if (place[0] == null || boundary.foreign().isPresent()) {
      throw refused(found(boundary, decoder.boundary()), files);
    }
    return place[0];
  }

  private static String found(GtidBoundary boundary, BinlogPosition read) {
    if (!boundary.isComplete()) {
      return boundary
          .foreign()
          .map(
              foreign ->
                  "its log has transaction %s, which is not among them, and up to there not %s"
                      .formatted(foreign, boundary.missing()))
          .orElseGet(() -> "its log ends without " + boundary.missing());
    }
    return boundary
        .foreign()
        .map(
            foreign ->
                "its log has a transaction %s after them, from %s on: nothing says whether it is among them"
                    .formatted(foreign, read))
        .orElse(
            "they end where a file of the log is longer than a position can say, after " + read);
  }

  private SluiceException refused(String found, List<String> files) {
    String oldest = files.get(0);
    return new SluiceException.Fatal(
        new Problem(
            "cdc-start-position " + have,
            "%s; the oldest file of the log, %s, begins after %s"
                .formatted(found, oldest, have.before(oldest, beginnings, server)),
            "a place in the log with exactly these transactions before it, and all later ones after it",
            "Let source.url lead to the server of the backup, or write the file and the offset that"
                + " the backup names. If the log is gone, make another backup, or let the task load"
                + " the tables: migration-type: full-load-and-cdc"));
  }
}
