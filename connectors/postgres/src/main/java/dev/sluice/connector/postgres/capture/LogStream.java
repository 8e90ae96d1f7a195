package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.journal.EventQueue;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;

/**
 * A replication stream that puts its decoded messages into the event queue in batches. Debezium
 * gets none of them. Read by Debezium's streaming thread, flushed by the publishing thread.
 */
@SuppressWarnings("try") // Debezium closes with any exception
final class LogStream implements ReplicationStream {
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
    throw new UnsupportedOperationException("BUG: Debezium calls read instead of readPending");
  }

  /**
   * Reads until a batch is full or no message is pending, and puts the batch into the queue. Always
   * returns true: Debezium's own pause after an empty read is too long for a backlog. The pause is
   * made here.
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
