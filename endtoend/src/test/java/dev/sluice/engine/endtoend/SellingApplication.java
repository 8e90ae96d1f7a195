package dev.sluice.engine.endtoend;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * An application that makes one sale after the other, and notes each that was acknowledged, with
 * the port of the server that made it. A sale that fails is not made again: it may be there.
 */
final class SellingApplication {
  static final String TABLES =
      "CREATE SCHEMA shop; CREATE TABLE shop.item (id int PRIMARY KEY, sold int NOT NULL);"
          + " INSERT INTO shop.item VALUES (1, 0), (2, 0);"
          + " CREATE TABLE shop.sale (id serial PRIMARY KEY, what text NOT NULL, port int NOT NULL)";

  private static final String SALE =
      "WITH changed AS (UPDATE shop.item SET sold = sold + 1 WHERE id = %d)"
          + " INSERT INTO shop.sale (what, port) VALUES ('sale-%d', current_setting('port')::int)"
          + " RETURNING what, port";

  private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this::run, "shop");
  private volatile Door door;
  private volatile boolean refused;
  private volatile boolean ends;

  /** Where it gets its sessions. */
  interface Door {
    Connection connect() throws SQLException;
  }

  void start(Door first) {
    door = first;
    thread.start();
  }

  void moveTo(Door other) {
    door = other;
  }

  /** The sales that were acknowledged. */
  Set<String> acknowledged() {
    return acknowledged.keySet();
  }

  /** How many sales the server of that port has acknowledged. */
  long soldAt(int port) {
    return acknowledged.values().stream().filter(each -> each == port).count();
  }

  /** Whether a closed source has refused a sale. */
  boolean isRefused() {
    return refused;
  }

  private void run() {
    int number = 0;
    while (!ends) {
      Door here = door;
      try (Connection connection = here.connect();
          Statement statement = connection.createStatement()) {
        while (!ends && door == here) {
          number++;
          try (ResultSet sale = statement.executeQuery(SALE.formatted(1 + number % 2, number))) {
            sale.next();
            acknowledged.put(sale.getString(1), sale.getInt(2));
          }
          LockSupport.parkNanos(5_000_000);
        }
      } catch (SQLException e) {
        // Another error says nothing about the sale.
        refused |= Till.REFUSED.equals(e.getSQLState());
        LockSupport.parkNanos(20_000_000);
      }
    }
  }

  /** Ends it after the sale that it makes now. */
  void end() throws InterruptedException {
    ends = true;
    thread.join();
  }
}
