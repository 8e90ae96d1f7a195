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
 * Sessions whose snapshots show the same position. A later session cannot join a snapshot of
 * MariaDB, so readers share these sessions: each takes one for a segment. A separate thread pings
 * those that are not in use; the server ends those of a process that hangs. Threadsafe.
 */
public final class SharedSnapshot implements SourceSnapshot {
  private static final long POLL_MILLIS = 50;

  /** The number of pings in the time after which the server ends a silent session. */
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
   * @param silence after this time the server ends an idle session
   * @param closing called once when the snapshot is closed
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

  /** Stops pinging a session. */
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
   * @param givenUp whether the caller has given up
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

  /**
   * Gives a session back. A broken one ends the snapshot for all readers, since its rows cannot be
   * read again.
   */
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
