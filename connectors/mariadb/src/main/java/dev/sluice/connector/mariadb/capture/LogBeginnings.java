package dev.sluice.connector.mariadb.capture;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import java.io.IOException;
import java.util.OptionalLong;

/** Reads when files of the binary log were begun, which no statement tells. Threadsafe. */
public final class LogBeginnings {
  private final Endpoint endpoint;

  public LogBeginnings(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * When a file was begun, seconds since 1970: the time of its first event.
   *
   * @throws SluiceException if the log cannot be read
   */
  long secondsOf(String file) {
    FirstEvent first = new FirstEvent();
    BinaryLogClient client =
        LogClient.to(endpoint, file, BinlogPosition.FIRST_EVENT, new RawEvents(first));
    client.registerLifecycleListener(
        new BinaryLogClient.AbstractLifecycleListener() {
          @Override
          public void onCommunicationFailure(BinaryLogClient from, Exception error) {
            first.fail(error);
          }

          @Override
          public void onEventDeserializationFailure(BinaryLogClient from, Exception error) {
            first.fail(error);
          }
        });
    try {
      client.connect();
    } catch (IOException | RuntimeException e) {
      first.fail(e);
    }
    return first.seconds.orElseThrow(
        () -> LogFailures.classify(first.failure("the server sent no event of " + file)));
  }

  /** Waits for the description of the file. Used by the thread that reads. */
  private static final class FirstEvent implements RawEvents.Receiver {
    private OptionalLong seconds = OptionalLong.empty();
    private Throwable failure;

    @Override
    public boolean take(LogEvent event, boolean more) {
      if (event.type() == EventType.FORMAT_DESCRIPTION) {
        seconds = OptionalLong.of(event.seconds());
      }
      return seconds.isEmpty();
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
