package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.AwaitedGtids;
import dev.sluice.connector.mariadb.capture.BinlogDecoder;
import dev.sluice.connector.mariadb.capture.GtidStop;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import java.util.List;
import java.util.function.Predicate;

/**
 * Searches the part of the log that the journal may already have for the place at which a task
 * stops, so that the capture can continue the search from its start. Used by one thread.
 */
public final class GtidStopSearch {
  private final LogServer server;
  private final LogBeginnings beginnings;
  private final NamedGtids wanted;

  /**
   * @param server as it answered just before
   * @param wanted after which the task stops
   */
  public GtidStopSearch(LogServer server, LogBeginnings beginnings, NamedGtids wanted) {
    this.server = server;
    this.beginnings = beginnings;
    this.wanted = wanted;
  }

  /**
   * Searches up to the start of the capture, and as far as the target has changes: that may be
   * further, if the journal has lost its beginning.
   *
   * @param stop that the capture feeds afterwards
   * @param files of the log, oldest first
   * @param applied what the target has
   * @param start of the capture, at the lowest place of the target or after it
   * @throws dev.sluice.config.document.SluiceException.Fatal if the target has more, or the server
   *     names no transactions
   */
  public void begin(
      GtidStop stop, List<String> files, AppliedPlaces applied, BinlogPosition start) {
    wanted.requireFitToStop(server);
    BinlogPosition lowest = applied.lowest();
    BinlogPosition furthest = applied.furthest();
    if (lowest.timeline() != start.timeline()) {
      throw wanted.notReached(
          "the target has changes up to %s of a former server, and where the stop is in its log is not known"
              .formatted(lowest));
    }
    String ofApplied = lowest.fileName(server.base());
    String file = files.contains(ofApplied) ? ofApplied : start.fileName(server.base());
    BinlogPosition from = BinlogPosition.of(file, BinlogPosition.FIRST_EVENT).on(start.timeline());
    AwaitedGtids awaited = wanted.awaited(file, beginnings, server);
    if (awaited.isEmpty()) {
      throw wanted.notReached(
          "all of them end before file %s, and the task goes on at %s".formatted(file, lowest));
    }
    stop.begin(awaited, from);
    BinlogDecoder decoder =
        BinlogDecoder.ofTransactions(
                server, from, new LogHistory(server.base(), beginnings.secondsOf(file), ""))
            .naming(stop);
    BinlogPosition upTo = furthest.compareTo(start) > 0 ? furthest : start;
    Predicate<LogEvent> goesOn =
        event -> {
          try {
            decoder.decode(event);
          } catch (SluiceException.Fatal e) {
            throw wanted.isOf(e) ? e : wanted.notLookedFor(decoder.boundary().toString(), e);
          }
          decoder.take();
          boolean known = stop.place().isPresent() && decoder.boundary().compareTo(furthest) >= 0;
          return !known && stop.passed().isEmpty() && decoder.boundary().compareTo(upTo) < 0;
        };
    beginnings.read(file, goesOn);
    if (stop.passed().filter(other -> other.compareTo(furthest) <= 0).isPresent()) {
      throw wanted.notReached(
          furthest.equals(lowest)
              ? "the last of them ends at %s, and the target has all up to %s"
                  .formatted(stop.place().orElseThrow(), lowest)
              : "the last of them ends at %s, and the target has all up to %s, and of some tables up to %s"
                  .formatted(stop.place().orElseThrow(), lowest, furthest));
    }
  }
}
