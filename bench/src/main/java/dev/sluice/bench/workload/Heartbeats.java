package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Updates a row of each task on the source with the time, five times a second. Its age on the
 * target is the target's lag, independent of the task's own figures. Runs on its own thread,
 * started and stopped by one other.
 */
public final class Heartbeats implements AutoCloseable {
  private static final Duration PERIOD = Duration.ofMillis(200);

  private final Database source;
  private final int count;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final Thread thread = new Thread(this::beat, "heartbeats");
  private volatile boolean stopping;

  private Heartbeats(Database source, int count) {
    this.source = source;
    this.count = count;
  }

  /** The table of a task, from 0 on. */
  public static String table(int task) {
    return "heartbeat_" + task;
  }

  /** The same on source and target. */
  public static void createTables(Database database, int count) throws SQLException {
    for (String table : tables(count)) {
      database.execute(
          "CREATE TABLE " + table + " (id int PRIMARY KEY, at timestamptz) WITH (fillfactor=50)",
          "INSERT INTO " + table + " VALUES (1, clock_timestamp())");
    }
  }

  public static List<String> tables(int count) {
    return IntStream.range(0, count).mapToObj(Heartbeats::table).toList();
  }

  public static Heartbeats start(Database source, int count) {
    Heartbeats heartbeats = new Heartbeats(source, count);
    heartbeats.thread.setDaemon(true);
    heartbeats.thread.start();
    return heartbeats;
  }

  /** How old the oldest heartbeat on a target is, in seconds. */
  public static double age(Connection target, int count) throws SQLException {
    return Double.parseDouble(
        Database.single(
            target,
            "SELECT extract(epoch FROM clock_timestamp() - least("
                + String.join(
                    ", ",
                    tables(count).stream().map(table -> "(SELECT at FROM " + table + ")").toList())
                + "))"));
  }

  /** Ends it; no heartbeat is committed after it returns. */
  public void stop() throws Exception {
    stopping = true;
    thread.join();
    requireHealthy();
  }

  public void requireHealthy() throws Exception {
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  @Override
  public void close() {
    stopping = true;
  }

  private void beat() {
    try (Connection connection = source.connect()) {
      while (!stopping) {
        for (String table : tables(count)) {
          try (PreparedStatement update =
              connection.prepareStatement("UPDATE " + table + " SET at = clock_timestamp()")) {
            update.execute();
          }
        }
        Thread.sleep(PERIOD.toMillis());
      }
    } catch (SQLException | InterruptedException e) {
      failure.set(e);
    }
  }
}
