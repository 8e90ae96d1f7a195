package dev.sluice.engine.daemon;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * An application that writes one row after the other, first on the source, and once that refuses it
 * and somebody has said so, on the target.
 */
final class MovingSeller implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final Login source;
  private final Login target;
  private final Thread thread = new Thread(this::run, "seller");
  private final CompletableFuture<Boolean> moved = new CompletableFuture<>();
  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private volatile boolean closing;

  /** Opens a session. */
  interface Login {
    Connection connect() throws SQLException;
  }

  private MovingSeller(Login source, Login target) {
    this.source = source;
    this.target = target;
  }

  static MovingSeller start(Login source, Login target) {
    MovingSeller seller = new MovingSeller(source, target);
    seller.thread.start();
    return seller;
  }

  private void run() {
    try (Connection session = source.connect()) {
      sell(session);
    } catch (SQLException e) {
      // The source refuses it; what it has not acknowledged is not there.
    }
    if (!moved.join()) {
      return;
    }
    try (Connection session = target.connect()) {
      sell(session);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void sell(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      while (!closing) {
        String note = "sold " + acknowledged.size();
        statement.execute(
            "INSERT INTO shop.line (customer, note) VALUES (1, '%s')".formatted(note));
        acknowledged.add(note);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  void goOnAtTheTarget() {
    moved.complete(true);
  }

  /** Until some more rows are acknowledged. */
  void awaitMore() {
    int before = acknowledged.size();
    await().atMost(Duration.ofMinutes(3)).until(() -> acknowledged.size() > before + 5);
  }

  /** In their order. */
  List<String> acknowledged() {
    return List.copyOf(acknowledged);
  }

  @Override
  public void close() {
    end();
  }

  /** Idempotent; returns when nothing more is sold. */
  void end() {
    closing = true;
    moved.complete(false);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
