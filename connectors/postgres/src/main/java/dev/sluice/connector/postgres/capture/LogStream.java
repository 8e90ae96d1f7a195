package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.journal.EventQueue;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;

/**
 * A replication stream that hands its messages, decoded and in batches, to the event queue and none
 * of them to Debezium. Used by Debezium's streaming thread; flushed by the publishing one.
 */
@SuppressWarnings("try") // Debezium closes with any exception
final class LogStream implements ReplicationStream {
  private static final int BATCH_BYTES = 64 * 1024;

  /**
   * A read that takes so long has waited for the source. The next messages are let gather in the
   * connection's buffer for a while: to be woken for each of them costs both sides more than
   * decoding it.
   */
  private static final long WAITED_NANOS = Duration.ofNanos(50_000).toNanos();

  private static final Duration GATHER = Duration.ofMillis(1);

  /** After so many reads in a row without any message the source counts as idle. */
  private static final int IDLE_READS = 20;

  private static final Duration IDLE_PAUSE = Duration.ofMillis(10);

  private final ReplicationStream stream;
  private final LogDecoder decoder;
  private final EventQueue queue;
  private int emptyReads;
  private volatile boolean ended;

  LogStream(ReplicationStream stream, LogDecoder decoder, EventQueue queue) {
    this.stream = stream;
    this.decoder = decoder;
    this.queue = queue;
  }

  @Override
  public void read(ReplicationMessageProcessor processor)
      throws SQLException, InterruptedException {
    throw new UnsupportedOperationException("Debezium's streaming reads what is pending only");
  }

  /**
   * Reads until a batch is full or the source has nothing more for now, and hands the batch over.
   * Debezium's own pause for a stream without messages is too long while a backlog is read, so it
   * is told that there was one; the pause is made here.
   */
  @Override
  public boolean readPending(ReplicationMessageProcessor processor)
      throws SQLException, InterruptedException {
    boolean drained = false;
    while (!drained && decoder.bytes() < BATCH_BYTES) {
      long start = System.nanoTime();
      boolean read = stream.readPending(processor);
      emptyReads = read ? 0 : emptyReads + 1;
      drained = !read || System.nanoTime() - start > WAITED_NANOS;
    }
    if (decoder.bytes() > 0) {
      queue.put(decoder.take());
    }
    if (drained) {
      LockSupport.parkNanos((emptyReads > IDLE_READS ? IDLE_PAUSE : GATHER).toNanos());
    }
    return true;
  }

  @Override
  public void flushLsn(Lsn lsn) throws SQLException {
    stream.flushLsn(lsn);
  }

  @Override
  public Lsn lastReceivedLsn() {
    return stream.lastReceivedLsn();
  }

  @Override
  public Lsn startLsn() {
    return stream.startLsn();
  }

  @Override
  public void startKeepAlive(ExecutorService service) {
    stream.startKeepAlive(service);
  }

  /** Debezium stops the keep-alives when its streaming ends, and only then. */
  boolean hasEnded() {
    return ended;
  }

  @Override
  public void stopKeepAlive() {
    ended = true;
    stream.stopKeepAlive();
  }

  @Override
  public void close() throws Exception {
    stream.close();
  }
}
