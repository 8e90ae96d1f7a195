package dev.sluice.engine.daemon;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * An application that writes one row after the other, and notes each that the database has
 * acknowledged. When the source refuses it, it waits for where to go on.
 */
final class Seller {
  /** As many sales as the processors can do prove no more. */
  private static final Duration PAUSE = Duration.ofMillis(3);

  private final int number;
  private final EmbeddedPostgres source;
  private final EmbeddedPostgres target;
  private final String database;
  private final Supplier<Boolean> moved;
  private final Thread thread;
  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final AtomicInteger onTarget = new AtomicInteger();
  private volatile boolean closing;

  /**
   * @param moved answers whether it is to go on at the target, once that is known
   */
  private Seller(
      int number,
      DdlTask task,
      EmbeddedPostgres source,
      EmbeddedPostgres target,
      Supplier<Boolean> moved) {
    this.number = number;
    this.source = source;
    this.target = target;
    this.database = task.name();
    this.moved = moved;
    this.thread = new Thread(this::run, "seller-" + number);
  }

  /** Begins to sell into the table {@code sold}. */
  static Seller start(int number, DdlTask task, CompletableFuture<Boolean> moved) {
    Seller seller = new Seller(number, task, task.sourceServer(), task.targetServer(), moved::join);
    seller.thread.start();
    return seller;
  }

  private void run() {
    EmbeddedPostgres server = source;
    int next = 1;
    while (!closing) {
      try (Connection connection = server.connect(database)) {
        while (!closing) {
          sell(connection, next);
          acknowledged.add(number + "-" + next);
          if (server == target) {
            onTarget.incrementAndGet();
          }
          next++;
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      } catch (SQLException e) {
        errors.add(server.port() + " " + e.getSQLState() + " " + e.getMessage());
        if (server == source && moved.get()) {
          server = target;
        }
      }
    }
  }

  private void sell(Connection connection, int row) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "WITH changed AS (UPDATE item SET price = price + 1 WHERE id = ?)"
                + " INSERT INTO sold (what) VALUES (?)")) {
      statement.setInt(1, 1 + (row * 7 + number) % 100);
      statement.setString(2, number + "-" + row);
      statement.execute();
    }
  }

  List<String> acknowledged() {
    return acknowledged;
  }

  List<String> errors() {
    return errors;
  }

  int onTarget() {
    return onTarget.get();
  }

  /** After the row that it writes now. */
  void end() throws InterruptedException {
    closing = true;
    thread.join();
  }
}
