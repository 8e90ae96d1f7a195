package dev.sluice.connector.mariadb.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSnapshot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sessions whose snapshots show the same position. MariaDB has no snapshot that a later session
 * could join, so readers share these: each takes one for the time of a segment. Threadsafe.
 */
public final class SharedSnapshot implements SourceSnapshot {
  private static final Logger LOG = LoggerFactory.getLogger(SharedSnapshot.class);

  private static final long POLL_MILLIS = 50;

  private final String name;
  private final Position position;
  private final List<Connection> sessions;
  private final LinkedBlockingDeque<Connection> free;
  private final Runnable closing;
  private volatile boolean closed;

  /**
   * @param closing called once, when it is closed
   */
  SharedSnapshot(String name, Position position, List<Connection> sessions, Runnable closing) {
    this.name = name;
    this.position = position;
    this.sessions = List.copyOf(sessions);
    this.free = new LinkedBlockingDeque<>(sessions);
    this.closing = closing;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Position position() {
    return position;
  }

  /** How many readers can read at the same time. */
  public int width() {
    return sessions.size();
  }

  /**
   * Takes a session; waits until one is free.
   *
   * @param givenUp whether the caller no longer wants it
   * @throws SluiceException.Retryable if the snapshot is gone, or the caller has given up
   */
  Connection take(BooleanSupplier givenUp) {
    try {
      while (!closed && !givenUp.getAsBoolean()) {
        Connection session = free.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (session != null) {
          return session;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new SluiceException.Retryable("snapshot " + name + " is closed, or was given up", null);
  }

  /** Gives a session back. One that is broken ends the snapshot for all: its rows are gone. */
  void giveBack(Connection session) {
    try {
      if (session.isClosed()) {
        close();
        return;
      }
    } catch (SQLException e) {
      close();
      return;
    }
    free.addFirst(session);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    closing.run();
    sessions.forEach(SharedSnapshot::close);
  }

  static void close(Connection session) {
    try {
      session.close();
    } catch (SQLException e) {
      LOG.debug("could not close a broken session", e);
    }
  }
}
