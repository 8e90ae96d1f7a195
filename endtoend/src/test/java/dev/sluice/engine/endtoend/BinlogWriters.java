package dev.sluice.engine.endtoend;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Applications that write to a {@link BinlogShop} until they are stopped. */
final class BinlogWriters implements AutoCloseable {
  /** Deadlock, lock timeout, duplicate key, missing or referenced row. */
  private static final Set<Integer> ORDINARY = Set.of(1205, 1213, 1062, 1452, 1451);

  private final ShopServer kind;
  private final EmbeddedServer server;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong committed = new AtomicLong();
  private volatile boolean stopping;
  private volatile Exception failure;

  private BinlogWriters(ShopServer kind, EmbeddedServer server) {
    this.kind = kind;
    this.server = server;
  }

  static BinlogWriters start(ShopServer kind, EmbeddedServer server, int count, long seed) {
    BinlogWriters writers = new BinlogWriters(kind, server);
    for (int i = 0; i < count; i++) {
      Random random = new Random(seed + i);
      Thread thread = new Thread(() -> writers.write(random), "writer-" + i);
      writers.threads.add(thread);
      thread.start();
    }
    return writers;
  }

  /** Transactions that were committed so far. */
  long committed() {
    return committed.get();
  }

  /** Ends all writers; what they have committed is all there is. */
  void stop() {
    stopping = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public void close() {
    stop();
  }

  private void write(Random random) {
    try (Connection connection = server.connect(BinlogShop.DATABASE)) {
      connection.setAutoCommit(false);
      while (!stopping) {
        try {
          transaction(connection, random);
        } catch (SQLException e) {
          if (!ORDINARY.contains(e.getErrorCode())) {
            throw e;
          }
          connection.rollback();
        }
        Thread.sleep(random.nextInt(4));
      }
    } catch (SQLException | InterruptedException e) {
      failure = e;
    }
  }

  private void transaction(Connection connection, Random random) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      change(statement, random);
      if (random.nextInt(5) == 0) {
        Savepoint undone = connection.setSavepoint();
        change(statement, random);
        connection.rollback(undone);
        change(statement, random);
      }
      if (random.nextInt(10) == 0) {
        connection.rollback();
      } else {
        connection.commit();
        committed.incrementAndGet();
      }
    }
  }

  private void change(Statement statement, Random random) throws SQLException {
    int one = 1 + random.nextInt(20_000);
    switch (random.nextInt(10)) {
      case 0 ->
          statement.execute(
              "INSERT INTO customer (name, email, balance, level) VALUES ('né%d', NULL, %d.25, 'gold')"
                  .formatted(one, one));
      case 1 -> {
        statement.execute(
            "INSERT INTO orders (customer, placed, note, total) VALUES (%d, now(6), 'x\\\\y', 1.5)"
                .formatted(1 + one % 3_000));
        statement.execute(
            "INSERT INTO line (orders, no, product, qty, flags, big) SELECT last_insert_id(), seq,"
                + " 'coffee', seq, b'101', seq FROM "
                + kind.numbers(1 + random.nextInt(5)));
      }
      case 2 ->
          statement.execute(
              "UPDATE customer SET balance = balance + 0.01, photo = x'00ff' WHERE id %% 3000 = %d"
                  .formatted(one % 3_000));
      case 3 ->
          statement.execute("UPDATE orders SET total = total + 1, note = NULL WHERE id = " + one);
      case 4 -> statement.execute("DELETE FROM line WHERE orders = " + one);
      case 5 -> {
        statement.execute("DELETE FROM line WHERE orders = " + one);
        statement.execute("DELETE FROM orders WHERE id = " + one);
      }
      case 6 ->
          statement.execute(
              "UPDATE setting SET name = concat('sétting ', %d) WHERE name = concat('sétting ', %d)"
                  .formatted(one % 600, one * 7 % 600));
      case 7 ->
          statement.execute(
              "REPLACE INTO setting (name, value) VALUES ('sétting %d', repeat('w', %d))"
                  .formatted(one % 600, one % 5_000));
      case 8 -> statement.execute("INSERT INTO counter (n) VALUES (" + one + ")");
      default ->
          statement.execute(
              "INSERT INTO line (orders, no, product, qty) VALUES (%d, 1, 'milk', 2)".formatted(one)
                  + " ON DUPLICATE KEY UPDATE qty = qty + 1, t = '"
                  + kind.longestTime()
                  + "'");
    }
  }
}
