package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * An application that writes one row after the other, and notes each that a database has
 * acknowledged. If the source refuses it, it waits until it may go on at the target.
 */
final class Till {
  /** The state of an error with which a closed source refuses writers. */
  static final String REFUSED = "SM001";

  /** So that the daemon and both servers get their share of a small machine. */
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final int number;
  private final EmbeddedPostgres source;
  private final EmbeddedPostgres target;
  private final String database;
  private final CompletableFuture<Void> moved;
  private final Thread thread;
  private final List<Sale> onSource = Collections.synchronizedList(new ArrayList<>());
  private final List<Sale> onTarget = Collections.synchronizedList(new ArrayList<>());
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private volatile long refusedAt;
  private volatile boolean refused;
  private volatile boolean closing;

  private Till(
      int number,
      EmbeddedPostgres source,
      EmbeddedPostgres target,
      String database,
      CompletableFuture<Void> moved) {
    this.number = number;
    this.source = source;
    this.target = target;
    this.database = database;
    this.moved = moved;
    this.thread = new Thread(this::run, "till-" + number);
  }

  /**
   * Begins to sell.
   *
   * @param moved ends when the task's status says that the target is the database to use
   */
  static Till start(
      int number,
      EmbeddedPostgres source,
      EmbeddedPostgres target,
      String database,
      CompletableFuture<Void> moved) {
    Till till = new Till(number, source, target, database, moved);
    till.thread.start();
    return till;
  }

  private void run() {
    try {
      sell(source, onSource);
    } catch (SQLException e) {
      if (!REFUSED.equals(e.getSQLState())) {
        errors.add("at the source: " + e.getSQLState() + " " + e.getMessage());
        return;
      }
      refusedAt = System.nanoTime();
      refused = true;
    }
    try {
      if (!closing) {
        moved.join();
        sell(target, onTarget);
      }
    } catch (SQLException e) {
      errors.add("at the target: " + e.getSQLState() + " " + e.getMessage());
    }
  }

  private void sell(EmbeddedPostgres server, List<Sale> sales) throws SQLException {
    try (Connection connection = server.connect(database);
        PreparedStatement statement =
            connection.prepareStatement(
                "WITH changed AS (UPDATE till.item SET sold = sold + 1 WHERE id = ?)"
                    + " INSERT INTO till.sale (what) VALUES (?)")) {
      while (!closing) {
        int row = onSource.size() + onTarget.size() + 1;
        String what = number + "-" + row;
        statement.setInt(1, 1 + (row * 7 + number) % 100);
        statement.setString(2, what);
        long begun = System.nanoTime();
        statement.execute();
        sales.add(new Sale(what, begun));
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** To be gone through only after its end. */
  List<Sale> onSource() {
    return onSource;
  }

  /** To be gone through only after its end. */
  List<Sale> onTarget() {
    return onTarget;
  }

  /** The errors other than the refusal by a closed source. */
  List<String> errors() {
    return errors;
  }

  boolean isRefused() {
    return refused;
  }

  /** When it was refused, on the clock of the sales. */
  long refusedAt() {
    return refusedAt;
  }

  /** Ends it after the row that it writes now. */
  void end() throws InterruptedException {
    closing = true;
    moved.complete(null);
    thread.join();
  }

  /**
   * An acknowledged row.
   *
   * @param begun when its statement began
   */
  record Sale(String what, long begun) {}
}
