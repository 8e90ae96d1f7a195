package dev.sluice.connector.mariadb.capture;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.mariadb.capture.stream.LogClient;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.capture.stream.RawEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the binary log on its own thread, decodes it, and puts the events into a queue. */
final class BinlogReader implements RawEvents.Receiver {
  private static final Logger LOG = LoggerFactory.getLogger(BinlogReader.class);

  private static final int BATCH_BYTES = 64 * 1024;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final BinaryLogClient client;
  private final BinlogDecoder decoder;
  private final EventQueue queue;
  private final Consumer<Throwable> ended;
  private final Thread thread;
  private Throwable failure;
  private volatile boolean stopping;

  /**
   * Starts the thread.
   *
   * @param file the name of the file in which the decoder's boundary is
   * @param ended called once, on the thread, if reading ends by itself
   */
  BinlogReader(
      String task,
      Endpoint endpoint,
      String file,
      BinlogDecoder decoder,
      EventQueue queue,
      Consumer<Throwable> ended) {
    this.decoder = decoder;
    this.queue = queue;
    this.ended = ended;
    this.client = LogClient.to(endpoint, file, decoder.boundary().offset(), new RawEvents(this));
    client.registerLifecycleListener(
        new BinaryLogClient.AbstractLifecycleListener() {
          @Override
          public void onCommunicationFailure(BinaryLogClient from, Exception error) {
            fail(error);
          }

          @Override
          public void onEventDeserializationFailure(BinaryLogClient from, Exception error) {
            // The client would skip the event.
            fail(error);
            disconnect();
          }
        });
    this.thread = new Thread(this::run, "sluice-binlog-" + task);
    thread.start();
  }

  /** Requests the end, without waiting. */
  void stop() {
    stopping = true;
    disconnect();
  }

  /**
   * Ends reading and waits for the end.
   *
   * @return true if the thread has ended, so that nothing uses the decoder
   */
  boolean close() {
    stop();
    try {
      thread.join(STOP_TIMEOUT.toMillis());
      if (!thread.isAlive()) {
        return true;
      }
      LOG.warn("reading the binary log did not end within {} s", STOP_TIMEOUT.toSeconds());
      thread.interrupt();
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
    return false;
  }

  @Override
  public boolean take(LogEvent event, boolean more) {
    try {
      decoder.decode(event);
      if (decoder.bytes() >= BATCH_BYTES || !more && decoder.bytes() > 0) {
        queue.put(decoder.take());
      }
      return !stopping;
    } catch (InterruptedException | RuntimeException | Error e) {
      fail(e);
      return false;
    }
  }

  @Override
  public void failed(IOException error) {
    fail(error);
  }

  private void run() {
    try {
      client.connect();
    } catch (Throwable e) {
      fail(e);
    }
    if (!stopping) {
      fail(new SluiceException.Retryable("the server ended the connection", null));
      ended.accept(failure);
    }
  }

  /** Keeps only the first failure, since later ones are its consequences. */
  private void fail(Throwable error) {
    if (failure == null) {
      failure = error;
    }
  }

  private void disconnect() {
    try {
      client.disconnect();
    } catch (IOException e) {
      LOG.debug("the connection to the binary log did not close cleanly: {}", e.toString());
    }
  }
}
