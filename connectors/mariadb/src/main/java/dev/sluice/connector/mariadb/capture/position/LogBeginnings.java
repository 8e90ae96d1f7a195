package dev.sluice.connector.mariadb.capture.position;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.capture.stream.LogClient;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.capture.stream.LogFailures;
import dev.sluice.connector.mariadb.capture.stream.RawEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Reads what the first events of the binary log's files say, such as when a file was begun: no
 * statement shows that. Threadsafe.
 */
public final class LogBeginnings {
  /** The bits of the number of GTIDs in a list; the others are flags. */
  private static final long LISTED = 0x0FFF_FFFFL;

  private final Endpoint endpoint;

  public LogBeginnings(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * When a file was begun, seconds since 1970: the time of its first event.
   *
   * @throws SluiceException if the log cannot be read
   */
  public long secondsOf(String file) {
    OptionalLong[] seconds = {OptionalLong.empty()};
    read(
        file,
        event -> {
          if (event.type() == EventType.FORMAT_DESCRIPTION) {
            seconds[0] = OptionalLong.of(event.seconds());
          }
          return seconds[0].isEmpty();
        });
    return seconds[0].orElseThrow();
  }

  /**
   * The transactions in the files before: of each server in each domain the last one.
   *
   * @param file of MariaDB's log
   * @throws SluiceException if the log cannot be read
   */
  public List<Gtid> gtidsBefore(String file) {
    return told(file, EventType.GTID_LIST, type -> type == EventType.GTID, LogBeginnings::listed);
  }

  private static List<Gtid> listed(LogBytes body) {
    List<Gtid> before = new ArrayList<>();
    long count = body.number(4) & LISTED;
    for (long i = 0; i < count; i++) {
      before.add(new Gtid(body.number(4), body.number(4), body.number(8)));
    }
    return before;
  }

  /**
   * The transactions in the files before.
   *
   * @param file of MySQL's log
   * @throws SluiceException if the log cannot be read
   */
  public GtidSet setBefore(String file) {
    return told(
        file, EventType.MYSQL_PREVIOUS_GTIDS, EventType::beginsTransactionOfMysql, GtidSet::read);
  }

  /**
   * The result of an event before a file's first transaction.
   *
   * @param telling the type of that event
   * @param begins whether a transaction begins with an event of a type
   */
  private <T> T told(String file, int telling, IntPredicate begins, Function<LogBytes, T> reading) {
    AtomicReference<T> told = new AtomicReference<>();
    read(
        file,
        event -> {
          if (begins.test(event.type())) {
            throw new SluiceException.Fatal(
                "file %s of the binary log does not begin with its list of GTIDs".formatted(file),
                null);
          }
          if (event.type() == telling) {
            told.set(reading.apply(event.body()));
          }
          return told.get() == null;
        });
    return told.get();
  }

  /**
   * Reads a file from its beginning until enough is known.
   *
   * @param wanted false if that event was the last one that is wanted
   * @throws SluiceException if reading ends before
   */
  public void read(String file, Predicate<LogEvent> wanted) {
    Reading reading = new Reading(wanted);
    BinaryLogClient client =
        LogClient.to(endpoint, file, BinlogPosition.FIRST_EVENT, new RawEvents(reading));
    client.registerLifecycleListener(
        new BinaryLogClient.AbstractLifecycleListener() {
          @Override
          public void onCommunicationFailure(BinaryLogClient from, Exception error) {
            reading.fail(error);
          }

          @Override
          public void onEventDeserializationFailure(BinaryLogClient from, Exception error) {
            reading.fail(error);
          }
        });
    try {
      client.connect();
    } catch (IOException | RuntimeException e) {
      reading.fail(e);
    }
    if (!reading.complete) {
      throw LogFailures.classify(reading.failure("the server sent too few events of " + file));
    }
  }

  /** Waits for the last event that is wanted. Used by the thread that reads. */
  private static final class Reading implements RawEvents.Receiver {
    private final Predicate<LogEvent> wanted;
    private boolean complete;
    private Throwable failure;

    Reading(Predicate<LogEvent> wanted) {
      this.wanted = wanted;
    }

    @Override
    public boolean take(LogEvent event, boolean more) {
      try {
        complete = !wanted.test(event);
        return !complete;
      } catch (RuntimeException e) {
        fail(e);
        return false;
      }
    }

    @Override
    public void failed(IOException error) {
      fail(error);
    }

    private void fail(Throwable error) {
      failure = failure == null ? error : failure;
    }

    private Throwable failure(String otherwise) {
      return failure == null ? new IOException(otherwise) : failure;
    }
  }
}
