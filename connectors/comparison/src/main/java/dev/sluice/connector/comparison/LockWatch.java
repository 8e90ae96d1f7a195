package dev.sluice.connector.comparison;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches whether a session makes others wait for a lock on a table, and cancels its statement as
 * soon as it does. Threadsafe; has a thread of its own until it is closed.
 */
final class LockWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockWatch.class);

  private static final Duration INTERVAL = Duration.ofMillis(20);

  private static final String WAITING =
      """
      WITH known AS MATERIALIZED (SELECT * FROM pg_catalog.pg_locks WHERE locktype = 'relation')
      SELECT 1 FROM known held JOIN known waiting
        ON waiting.database = held.database AND waiting.relation = held.relation
      WHERE held.pid = ? AND held.granted AND NOT waiting.granted
        AND (waiting.mode = 'AccessExclusiveLock' OR held.mode <> 'AccessShareLock')
      LIMIT 1
      """;

  private final SideSession observer;
  private final Thread thread = new Thread(this::run, "comparison-lock-watch");
  private Optional<SideSession> watched = Optional.empty();
  private boolean blocking;
  private boolean closed;

  /**
   * @param observer the session that reads the locks, which others use only through {@link #query}
   */
  LockWatch(SideSession observer) {
    this.observer = observer;
    thread.setDaemon(true);
    thread.start();
  }

  /** Begins to watch a session. */
  synchronized void begin(SideSession session) {
    watched = Optional.of(session);
    blocking = false;
    notifyAll();
  }

  /** Ends it: the session is not cancelled any more. Returns whether it was. */
  synchronized boolean end() {
    watched = Optional.empty();
    return blocking;
  }

  /** Runs a query in the observer's session, which sees what is committed now. */
  synchronized <T> T query(String sql, List<?> values, SideSession.Rows<T> rows)
      throws SQLException {
    return observer.query(sql, values, rows);
  }

  private void run() {
    try {
      while (await()) {
        check();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      // The read itself fails as well if the server is gone; otherwise it ends at its time limit.
      LOG.debug("locks are not watched any more", e);
    }
  }

  /** Waits for a session to watch, and then for one interval. Returns false at the end. */
  private synchronized boolean await() throws InterruptedException {
    while (watched.isEmpty() && !closed) {
      wait();
    }
    long until = System.nanoTime() + INTERVAL.toNanos();
    for (long left = INTERVAL.toNanos(); left > 0 && !closed; left = until - System.nanoTime()) {
      wait(Math.max(1, left / 1_000_000));
    }
    return !closed;
  }

  private synchronized void check() throws SQLException {
    if (watched.isEmpty()) {
      return;
    }
    long process = watched.get().process();
    if (observer.query(WAITING, List.of(process), rows -> rows.next())) {
      // Once more at the next interval: a cancel between two statements has no effect.
      blocking = true;
      watched.get().cancel();
    }
  }

  /** Ends the thread and closes the observer's session. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    observer.close();
  }
}
