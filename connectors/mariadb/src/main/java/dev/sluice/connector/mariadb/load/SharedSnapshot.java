package dev.sluice.connector.mariadb.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sessions whose snapshots show the same position. MariaDB has no snapshot that a later session
 * could join, so readers share these: each takes one for the time of a segment. A thread of its own
 * pings those that are not used, and so a process that stands still loses them. Threadsafe.
 */
public final class SharedSnapshot implements SourceSnapshot {
  private static final long POLL_MILLIS = 50;

  /** Pings in the time after which the server ends a silent session. */
  private static final int PINGS = 10;

  private final String name;
  private final Position position;
  private final List<KeptSession> sessions;
  private final LinkedBlockingDeque<KeptSession> free;
  private final Set<KeptSession> kept = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService pings;
  private final Runnable closing;
  private volatile boolean closed;

  /**
   * @param silence after which the server ends a session that asks nothing
   * @param closing called once, when it is closed
   */
  SharedSnapshot(
      String name,
      Position position,
      List<KeptSession> sessions,
      Duration silence,
      Runnable closing) {
    this.name = name;
    this.position = position;
    this.sessions = List.copyOf(sessions);
    this.free = new LinkedBlockingDeque<>(sessions);
    this.closing = closing;
    this.pings =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sluice-pings-" + name);
              thread.setDaemon(true);
              return thread;
            });
    kept.addAll(sessions);
    long pause = silence.toMillis() / PINGS;
    pings.scheduleWithFixedDelay(
        () -> kept.forEach(KeptSession::ping), pause, pause, TimeUnit.MILLISECONDS);
  }

  /** Pings a further session as long as the snapshot is open. */
  void keep(KeptSession session) {
    kept.add(session);
  }

  /** Pings it no more. */
  void forget(KeptSession session) {
    kept.remove(session);
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
  KeptSession take(BooleanSupplier givenUp) {
    try {
      while (!closed && !givenUp.getAsBoolean()) {
        KeptSession session = free.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
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
  void giveBack(KeptSession session) {
    if (session.isClosed()) {
      close();
    } else {
      free.addFirst(session);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    pings.shutdownNow();
    closing.run();
    sessions.forEach(KeptSession::close);
  }
}
