package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.EventBatch;
import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.postgres.server.LogStream;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the source's log on a thread of its own, decodes it, and puts the events into a queue. That
 * thread alone uses the stream: it also confirms positions, and keeps the session alive while the
 * queue is full. Any failure ends it.
 */
final class LogReader {
  private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

  private static final int BATCH_BYTES = 64 * 1024;

  /**
   * A read longer than this has waited for the source. A pause then lets the next messages collect
   * in the connection's buffer: a wake-up for each message costs both sides more than decoding it.
   */
  private static final long WAITED_NANOS = Duration.ofNanos(50_000).toNanos();

  private static final Duration GATHER = Duration.ofMillis(1);

  /** Reads in a row without a message after which the source counts as idle. */
  private static final int IDLE_READS = 20;

  private static final Duration IDLE_PAUSE = Duration.ofMillis(10);

  /** How long to wait for a full queue before the server gets a sign of life. */
  private static final Duration FULL_QUEUE = Duration.ofSeconds(1);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  /** Opens the stream, on the reader's thread. */
  interface Opening {
    LogStream open() throws SQLException;
  }

  private final Opening opening;
  private final LogDecoder decoder;
  private final EventQueue queue;
  private final Consumer<Throwable> ended;
  private final Thread thread;
  private int emptyReads;
  private Position told = Position.ZERO;
  private volatile Position confirmed = Position.ZERO;
  private volatile boolean stopping;

  /**
   * Starts the thread.
   *
   * @param ended called at most once, on the thread, if reading fails
   */
  LogReader(
      String task,
      Opening opening,
      LogDecoder decoder,
      EventQueue queue,
      Consumer<Throwable> ended) {
    this.opening = opening;
    this.decoder = decoder;
    this.queue = queue;
    this.ended = ended;
    this.thread = new Thread(this::run, "sluice-log-" + task);
    thread.start();
  }

  /** The source may forget its log up to the position: it is told soon, and at the end. */
  void confirm(Position position) {
    confirmed = position;
  }

  /** Requests the end, without waiting. The queue must be closed, or have space. */
  void stop() {
    stopping = true;
  }

  /** Ends reading and waits for the end. */
  void close() {
    stop();
    try {
      thread.join(STOP_TIMEOUT.toMillis());
      if (thread.isAlive()) {
        LOG.warn("reading the source's log did not end within {} s", STOP_TIMEOUT.toSeconds());
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try (LogStream stream = opening.open()) {
      while (!stopping) {
        boolean drained = read(stream);
        if (decoder.bytes() > 0) {
          put(decoder.take(), stream);
        }
        tellConfirmed(stream);
        if (drained) {
          LockSupport.parkNanos((emptyReads > IDLE_READS ? IDLE_PAUSE : GATHER).toNanos());
        }
      }
      tellConfirmed(stream);
    } catch (Throwable e) {
      if (!stopping) {
        ended.accept(e);
      }
    }
  }

  /** Reads until a batch is full or no message is pending; true in the second case. */
  private boolean read(LogStream stream) throws SQLException {
    boolean drained = false;
    while (!drained && decoder.bytes() < BATCH_BYTES) {
      long start = System.nanoTime();
      ByteBuffer message = stream.readPending();
      if (message != null) {
        decoder.decode(message, stream.position());
      }
      emptyReads = message == null ? emptyReads + 1 : 0;
      drained = message == null || System.nanoTime() - start > WAITED_NANOS;
    }
    return drained;
  }

  private void put(EventBatch batch, LogStream stream) throws SQLException, InterruptedException {
    while (!queue.offer(batch, FULL_QUEUE)) {
      tellConfirmed(stream);
      stream.keepAlive();
    }
  }

  private void tellConfirmed(LogStream stream) throws SQLException {
    Position position = confirmed;
    if (position.isAfter(told)) {
      stream.confirm(position);
      told = position;
    }
  }
}
