package dev.sluice.connector.mariadb.capture;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.type.ValuePolicy;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/**
 * Finds a transaction of the binary log by the time of its commit, which the log has in whole
 * seconds. Used by one thread.
 */
public final class CommitTimeSearch {
  private final Endpoint endpoint;
  private final LogServer server;
  private final LogBeginnings beginnings;

  /**
   * @param server asked just before
   */
  public CommitTimeSearch(Endpoint endpoint, LogServer server, LogBeginnings beginnings) {
    this.endpoint = endpoint;
    this.server = server;
    this.beginnings = beginnings;
  }

  /**
   * The place in front of the first transaction, in the order of the log, that was committed in the
   * second of the time or later.
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
              "a time behind that second: the files before it are gone",
              "Write a later time, or remove cdc-start-position to start from now on"));
    }
    BinlogPosition start = BinlogPosition.of(files.get(file), BinlogPosition.FIRST_EVENT);
    Search search = new Search(start, new LogHistory(server.base(), begun, ""), second, end);
    return search.in(files.get(file));
  }

  /** Follows the transactions with a decoder that captures no table. */
  private final class Search implements RawEvents.Receiver {
    private final LogDecoder decoder;
    private final long second;
    private final BinlogPosition end;
    private BinlogPosition before;
    private boolean found;
    private Throwable failure;

    Search(BinlogPosition start, LogHistory history, long second, BinlogPosition end) {
      CaptureScope nothing = CaptureScope.of(new SourceCatalog(List.of()));
      this.decoder =
          new LogDecoder(
              start,
              history,
              new CapturedTables(nothing, server.collations(), ValuePolicy.REFUSE),
              statement -> List.of(),
              new EmptyPreparations());
      this.second = second;
      this.end = end;
      this.before = start;
    }

    BinlogPosition in(String file) {
      BinaryLogClient client =
          LogClient.to(endpoint, file, BinlogPosition.FIRST_EVENT, new RawEvents(this));
      client.registerLifecycleListener(
          new BinaryLogClient.AbstractLifecycleListener() {
            @Override
            public void onCommunicationFailure(BinaryLogClient from, Exception error) {
              failed(error);
            }

            @Override
            public void onEventDeserializationFailure(BinaryLogClient from, Exception error) {
              failed(error);
            }
          });
      try {
        client.connect();
      } catch (IOException | RuntimeException e) {
        failed(e);
      }
      if (found) {
        return before;
      }
      throw notSearched(LogFailures.classify(failure));
    }

    @Override
    public boolean take(LogEvent event, boolean more) {
      try {
        decoder.decode(event);
        for (SourceEvent each : decoder.take().events()) {
          SourceEvent.Committed committed = (SourceEvent.Committed) each;
          if (committed.commitMicros() / 1_000_000 >= second) {
            found = true;
            return false;
          }
          before = BinlogPosition.of(committed.position());
        }
        found = before.compareTo(end) >= 0;
        return !found;
      } catch (RuntimeException e) {
        failed(e);
        return false;
      }
    }

    @Override
    public void failed(IOException error) {
      failed((Throwable) error);
    }

    /** Keeps the first failure: what follows is its consequence. */
    private void failed(Throwable error) {
      failure = failure == null ? error : failure;
    }

    /** The advice of a capture would be wrong: nothing was captured yet. */
    private SluiceException notSearched(SluiceException stopped) {
      if (!(stopped instanceof SluiceException.Fatal)) {
        return stopped;
      }
      return new SluiceException.Fatal(
          new Problem(
              "cdc-start-position commit_time:" + Instant.ofEpochSecond(second),
              "the binary log cannot be searched from %s on: %s"
                  .formatted(before, message(stopped)),
              "a log that can be read up to that time",
              "Find the place in the log's files, and write it as cdc-start-position: FILE:OFFSET"));
    }

    private static String message(SluiceException stopped) {
      return stopped instanceof SluiceException.Fatal fatal && !fatal.problems().isEmpty()
          ? fatal.problems().get(0).found()
          : stopped.getMessage();
    }
  }
}
