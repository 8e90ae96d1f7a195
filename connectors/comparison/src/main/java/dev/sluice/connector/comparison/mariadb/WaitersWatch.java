package dev.sluice.connector.comparison.mariadb;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every tenth of a second whether a session of the server waits for a lock on a table's
 * definition, and if so ends the snapshot's session. It is not known whose lock the session waits
 * for, so the comparison always gives way. Its thread owns the watching connection; the rest is
 * threadsafe.
 */
final class WaitersWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WaitersWatch.class);
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private static final String WAITING =
      """
      SELECT count(*) FROM information_schema.PROCESSLIST
      WHERE STATE LIKE 'Waiting for table metadata lock%%' AND ID <> %d
      """;

  private final Connection watching;
  private final long watched;
  private final boolean locksEnd;
  private final Thread thread;
  private volatile boolean reading;
  private volatile boolean gaveWay;
  private volatile boolean broken;
  private volatile boolean closed;

  /**
   * @param watching a session that is used for nothing else
   * @param watched the server's number of the session that is ended if others wait
   * @param locksEnd whether it holds locks only while it reads
   */
  WaitersWatch(Connection watching, long watched, boolean locksEnd) {
    this.watching = watching;
    this.watched = watched;
    this.locksEnd = locksEnd;
    this.thread = new Thread(this::watch, "comparison-watch");
    thread.setDaemon(true);
    thread.start();
  }

  void reads(boolean now) {
    reading = now;
  }

  /** Whether the watch has failed, so that nothing may be read. */
  boolean isBroken() {
    return broken;
  }

  /** Whether the session was ended because others waited. */
  boolean gaveWay() {
    return gaveWay;
  }

  private void watch() {
    try {
      while (!closed && !gaveWay) {
        Thread.sleep(INTERVAL.toMillis());
        if ((reading || !locksEnd) && anyWaits()) {
          giveWay();
        }
      }
    } catch (SQLException e) {
      LOG.debug("the sessions that wait are not watched any more", e);
      broken = !closed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean anyWaits() throws SQLException {
    try (Statement statement = watching.createStatement();
        ResultSet row = statement.executeQuery(WAITING.formatted(watched))) {
      row.next();
      return row.getLong(1) > 0;
    }
  }

  private void giveWay() throws SQLException {
    gaveWay = true;
    try (Statement statement = watching.createStatement()) {
      statement.execute("KILL CONNECTION " + watched);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
