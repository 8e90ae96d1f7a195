package dev.sluice.connector.comparison;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches whether a session blocks others by a lock on a table, and cancels its statement as soon
 * as it does. Threadsafe; has its own thread until it is closed.
 */
final class LockWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockWatch.class);

  private static final Duration INTERVAL = Duration.ofMillis(20);

  private static final String WAITING =
      """
      WITH known AS MATERIALIZED (SELECT * FROM pg_catalog.pg_locks WHERE locktype = 'relation')
      SELECT DISTINCT held.pid FROM known held JOIN known waiting
        ON waiting.database = held.database AND waiting.relation = held.relation
      WHERE held.pid = ANY (CAST(? AS int8[])) AND held.granted AND NOT waiting.granted
        AND (waiting.mode = 'AccessExclusiveLock' OR held.mode <> 'AccessShareLock')
      """;

  private final SideSession observer;
  private final Thread thread = new Thread(this::run, "comparison-lock-watch");

  /** The sessions that are watched, and whether each was cancelled. */
  private final Map<SideSession, Boolean> watched = new HashMap<>();

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
    watched.put(session, false);
    notifyAll();
  }

  /** Ends the watch of a session. Returns whether the session was cancelled. */
  synchronized boolean end(SideSession session) {
    return Boolean.TRUE.equals(watched.remove(session));
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
      // If the server is gone, the read itself fails as well; otherwise it ends at its time limit.
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
    Long[] processes =
        watched.keySet().stream().map(session -> (long) session.process()).toArray(Long[]::new);
    Set<Integer> blocking =
        observer.query(WAITING, List.of((Object) processes), LockWatch::numbers);
    watched.replaceAll((session, before) -> before || blocking.contains(session.process()));
    // Repeated at the next interval, since a cancel between two statements has no effect.
    watched.keySet().stream()
        .filter(session -> blocking.contains(session.process()))
        .forEach(SideSession::cancel);
  }

  private static Set<Integer> numbers(ResultSet rows) throws SQLException {
    Set<Integer> numbers = new HashSet<>();
    while (rows.next()) {
      numbers.add(rows.getInt(1));
    }
    return numbers;
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
