package dev.sluice.connector.postgres.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.journal.CaptureFailure;
import dev.sluice.connector.journal.EventBatch;
import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.postgres.server.LogStream;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a slot's log on one thread and publishes the decoded events on another one. Any failure of
 * the log, an event or a send ends both; a new term is a new object. Only positions of acknowledged
 * transactions and of acknowledged progress messages are confirmed to the source, so the slot
 * advances to these positions only.
 */
public final class LogCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(LogCapture.class);

  /** How often Kafka's acknowledgements are checked while the source is idle. */
  private static final Duration PAUSE = Duration.ofMillis(10);

  /** Limit of the decoded log that waits to be published, in bytes. */
  private static final long WAITING_BYTES = 8L * 1024 * 1024;

  private final Publisher publisher;
  private final EventQueue events = new EventQueue(WAITING_BYTES);
  private final LogReader reader;
  private final Thread thread;
  private final CaptureFailure failure = new CaptureFailure(LOG);
  private volatile boolean closing;

  /**
   * What is read.
   *
   * @param slot its name
   * @param publications names of the publications whose changes the server sends
   * @param sessionName of the session that reads the slot, in {@code pg_stat_activity}
   */
  public record Log(
      SourceServer server, String slot, List<String> publications, String sessionName) {
    public Log {
      publications = List.copyOf(publications);
    }

    private LogStream open() throws SQLException {
      return LogStream.open(server, slot, publications, sessionName);
    }
  }

  /**
   * How messages of the log become events.
   *
   * @param own the messages that this process wrote; all others are ignored
   * @param newestTransaction the extended id that the server assigns next; one that is some hours
   *     old will do
   */
  public record Decoding(
      MessagePrefixes prefixes, OwnMessages own, SourceTables tables, long newestTransaction) {
    private LogDecoder decoder() {
      return new LogDecoder(prefixes, own, tables, new TransactionIds(newestTransaction));
    }
  }

  /**
   * Starts the capture.
   *
   * @param task its name
   * @throws SluiceException if the term's first record cannot be written to the journal
   */
  public LogCapture(String task, CaptureRequest request, Log log, Decoding decoding) {
    this.publisher = new Publisher(request);
    this.thread = new Thread(this::publish, "sluice-capture-" + task);
    this.reader = new LogReader(task, log::open, decoding.decoder(), events, this::readerEnded);
    thread.start();
  }

  @Override
  public CaptureProgress progress() {
    return publisher.progress();
  }

  @Override
  public Optional<SluiceException> failure() {
    return failure.get();
  }

  @Override
  public void close() {
    closing = true;
    events.close();
    thread.interrupt();
    reader.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    publisher.close();
  }

  private void publish() {
    try {
      while (!closing && failure.get().isEmpty()) {
        Optional<EventBatch> batch = events.take(PAUSE);
        if (batch.isPresent()) {
          for (SourceEvent event : batch.get().events()) {
            publish(event);
          }
        }
        // Sends are pipelined: later answers are taken in the next round.
        publisher.takeAcknowledged().ifPresent(reader::confirm);
      }
    } catch (InterruptedException e) {
      fail(new SluiceException.Retryable("the capture was interrupted", e));
    } catch (Throwable e) {
      // Errors too: if the thread ended silently, the reader would wait forever.
      fail(e);
    }
    reader.stop();
    events.close();
  }

  private void publish(SourceEvent event) {
    if (event instanceof SourceEvent.Changed changed) {
      publisher.change(changed.change());
    } else if (event instanceof SourceEvent.Committed committed) {
      publisher.commit(committed.position(), committed.commitMicros(), committed.transactionId());
    } else if (event instanceof SourceEvent.Progressed progressed) {
      publisher.progress(progressed.position(), progressed.sourceMicros());
    }
  }

  private void readerEnded(Throwable error) {
    fail(error);
    events.close();
  }

  private void fail(Throwable error) {
    if (!closing) {
      failure.set(
          error instanceof SluiceException known ? known : SourceFailures.classifyCapture(error));
    }
  }
}
