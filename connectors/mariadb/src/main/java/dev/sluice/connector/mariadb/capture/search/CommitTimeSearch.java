package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.BinlogDecoder;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Finds a transaction of the binary log by the time of its commit, which MariaDB logs in seconds
 * and MySQL in microseconds. Used by one thread.
 */
public final class CommitTimeSearch {
  private final LogServer server;
  private final LogBeginnings beginnings;

  /**
   * @param server as it answered just before
   */
  public CommitTimeSearch(LogServer server, LogBeginnings beginnings) {
    this.server = server;
    this.beginnings = beginnings;
  }

  /**
   * The place before the first transaction, in the order of the log, that was committed at the time
   * or later. If the log has only seconds, in the second of the time or later.
   *
   * @param files of the log, oldest first
   * @param end of the log: the place if there is no such transaction before it
   * @throws SluiceException.Fatal if the log does not go back to the time, or cannot be read
   */
  public BinlogPosition before(Instant time, List<String> files, BinlogPosition end) {
    long second = time.getEpochSecond();
    int file = files.size() - 1;
    long begun = beginnings.secondsOf(files.get(file));
    while (begun >= second && file > 0) {
      file--;
      begun = beginnings.secondsOf(files.get(file));
    }
    if (begun >= second) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-start-position commit_time:" + time,
              "the oldest file that the binary log still has, %s, was begun at %s"
                  .formatted(files.get(file), Instant.ofEpochSecond(begun)),
              "a time after that second: the files before it are gone",
              "Remove cdc-start-position, and make the target equal by difference: sluice resync"
                  + " before the first start"));
    }
    return new Search(files.get(file), begun, time, end).run();
  }

  /** Follows the transactions with a decoder that captures no table. */
  private final class Search {
    private final String file;
    private final BinlogDecoder decoder;
    private final Instant time;
    private final BinlogPosition end;
    private BinlogPosition before;

    Search(String file, long begun, Instant time, BinlogPosition end) {
      this.file = file;
      this.before = BinlogPosition.of(file, BinlogPosition.FIRST_EVENT);
      this.decoder =
          BinlogDecoder.ofTransactions(server, before, new LogHistory(server.base(), begun, ""));
      this.time = time;
      this.end = end;
    }

    BinlogPosition run() {
      try {
        beginnings.read(file, this::goesOn);
        return before;
      } catch (SluiceException.Fatal e) {
        throw notSearched(e);
      }
    }

    private boolean goesOn(LogEvent event) {
      decoder.decode(event);
      for (SourceEvent each : decoder.take().events()) {
        SourceEvent.Committed committed = (SourceEvent.Committed) each;
        if (isReached(committed.commitMicros()) && endsTransaction(event)) {
          return false;
        }
        before = BinlogPosition.of(committed.position());
      }
      return before.compareTo(end) < 0;
    }

    private boolean isReached(long micros) {
      boolean ofSeconds = micros % 1_000_000 == 0;
      return micros
          >= (ofSeconds
              ? time.getEpochSecond() * 1_000_000
              : ChronoUnit.MICROS.between(Instant.EPOCH, time));
    }

    /**
     * Whether the event ends a transaction: others, such as the first one of a file, have only
     * seconds, on MySQL as well.
     */
    private static boolean endsTransaction(LogEvent event) {
      return switch (event.type()) {
        case EventType.XID, EventType.QUERY, EventType.COMPRESSED_QUERY, EventType.XA_PREPARE ->
            true;
        default -> false;
      };
    }

    /** Replaces the advice for a capture, which would be wrong here: nothing was captured yet. */
    private SluiceException notSearched(SluiceException.Fatal stopped) {
      return new SluiceException.Fatal(
          new Problem(
              "cdc-start-position commit_time:" + time,
              "the binary log cannot be searched from %s on: %s"
                  .formatted(
                      before,
                      stopped.problems().isEmpty()
                          ? stopped.getMessage()
                          : stopped.problems().get(0).found()),
              "a log that can be read up to that time",
              "Find the place in the log's files, and write it as cdc-start-position: FILE:OFFSET"));
    }
  }
}
