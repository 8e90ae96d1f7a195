package dev.sluice.connector.comparison.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.comparison.printed.TableReads;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session with a snapshot that lives for seconds, and two sessions that see the current state:
 * one for the catalog, and one that watches for waiting sessions. Each read checks before and after
 * whether the table is still the same as before the snapshot, and releases its lock. Owned by one
 * thread at a time.
 */
public final class WatchedSnapshot implements TableReads {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedSnapshot.class);

  private static final int LOCKED = 1205;
  private static final int OUT_OF_TIME = 1969;
  private static final int OUT_OF_TIME_IN_MYSQL = 3024;
  private static final int KILLED = 1317;
  private static final int NO_COLUMN = 1054;
  private static final int NO_SUCH_TABLE = 1146;

  /** The table was rebuilt or truncated after the snapshot. */
  private static final int DEFINITION_CHANGED = 1412;

  private static final int NO_TABLE_RIGHT = 1142;
  private static final int NO_COLUMN_RIGHT = 1143;

  private final Server server;
  private final Sessions sessions;
  private final TableSignatures signatures;
  private final WaitersWatch watch;
  private final long deadline;

  /** The differences between sides and servers. {@code toString} names the server in messages. */
  public interface Server {

    /** The statement that sets the time limit of a session's statements. */
    String limit(long millis);

    /**
     * @param attempted verb and object, for the message
     */
    SluiceException failed(String attempted, SQLException error);
  }

  /**
   * The sessions, which end with the snapshot. Immutable.
   *
   * @param present sees what is committed now
   * @param watching used only for the watch
   */
  public record Sessions(Connection snapshot, Connection present, Connection watching)
      implements AutoCloseable {
    public Sessions {
      Objects.requireNonNull(snapshot, "snapshot");
      Objects.requireNonNull(present, "present");
      Objects.requireNonNull(watching, "watching");
    }

    @Override
    public void close() {
      end(snapshot);
      end(present);
      end(watching);
    }
  }

  /**
   * @param signatures the signatures from before the snapshot
   * @param locksEnd whether the session releases a table's lock at the end of a savepoint
   * @param life how long it may be used from now on
   */
  public WatchedSnapshot(
      Server server, Sessions sessions, TableSignatures signatures, boolean locksEnd, Duration life)
      throws SQLException {
    this.server = server;
    this.sessions = sessions;
    this.signatures = signatures;
    this.deadline = System.nanoTime() + life.toNanos();
    this.watch = new WaitersWatch(sessions.watching(), numberOf(sessions.snapshot()), locksEnd);
  }

  private static long numberOf(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SELECT connection_id()")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** The session that sees the current state. */
  public Connection present() {
    return sessions.present();
  }

  /**
   * Takes a snapshot in place of an earlier one; waits for nobody. The session's transactions must
   * be of isolation level REPEATABLE READ: in others each statement has a snapshot of its own.
   *
   * @param first reads under the new snapshot
   */
  public <T> T take(Work<T> first) {
    requireWatched();
    watch.reads(true);
    try (Statement statement = sessions.snapshot().createStatement()) {
      statement.execute("ROLLBACK");
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
      return givingLocksUp(statement, first);
    } catch (SQLException e) {
      if (watch.gaveWay()) {
        throw new NotReadable(Reason.BLOCKED, server + ": others wait for a lock", e);
      }
      throw server.failed("take a snapshot of the " + server, e);
    } finally {
      watch.reads(false);
    }
  }

  /** Under the snapshot. */
  @Override
  public <T> T read(TableId table, Work<T> work) {
    requireWatched();
    watch.reads(true);
    try (Statement statement = sessions.snapshot().createStatement()) {
      long left = deadline - System.nanoTime();
      statement.execute(server.limit(Math.max(10, left / 1_000_000)));
      return givingLocksUp(
          statement,
          session -> {
            requireSame(table);
            T found = work.run(session);
            requireSame(table);
            return found;
          });
    } catch (SQLException e) {
      throw failed(table, e);
    } finally {
      watch.reads(false);
    }
  }

  private void requireWatched() {
    if (deadline - System.nanoTime() <= 0) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the snapshot of the %s is over".formatted(server), null);
    }
    if (watch.isBroken()) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the session that watches the %s ended".formatted(server), null);
    }
  }

  private <T> T givingLocksUp(Statement statement, Work<T> work) throws SQLException {
    statement.execute("SAVEPOINT compared");
    try {
      return work.run(sessions.snapshot());
    } finally {
      // Otherwise the lock of the table's definition would stay.
      statement.execute("ROLLBACK TO SAVEPOINT compared");
    }
  }

  private void requireSame(TableId table) throws SQLException {
    if (!signatures.isStill(sessions.present(), table)) {
      throw new NotReadable(
          Reason.CHANGED,
          "table %s of the %s was truncated, rebuilt or altered after the snapshot"
              .formatted(table, server),
          null);
    }
  }

  private RuntimeException failed(TableId table, SQLException error) {
    String where = "table %s of the %s".formatted(table, server);
    if (watch.gaveWay()) {
      return new NotReadable(Reason.BLOCKED, where + ": others wait for a lock", error);
    }
    return switch (error.getErrorCode()) {
      case LOCKED -> new NotReadable(Reason.BLOCKED, where + ": others hold a lock on it", error);
      case OUT_OF_TIME, OUT_OF_TIME_IN_MYSQL, KILLED ->
          new NotReadable(Reason.OUT_OF_TIME, where + ": not read in time", error);
      case NO_SUCH_TABLE, DEFINITION_CHANGED, NO_COLUMN ->
          new NotReadable(Reason.CHANGED, where + " was altered: " + error.getMessage(), error);
      case NO_TABLE_RIGHT, NO_COLUMN_RIGHT ->
          new NotReadable(Reason.REFUSED, where + ": " + error.getMessage(), error);
      default -> {
        SluiceException failure = server.failed("compare " + where, error);
        yield failure instanceof SluiceException.Retryable
            ? failure
            : new NotReadable(Reason.FAILED, failure.getMessage(), error);
      }
    };
  }

  /** Ends a session that may be broken, or was not opened. */
  public static void end(Connection session) {
    if (session == null) {
      return;
    }
    try {
      session.close();
    } catch (SQLException e) {
      LOG.debug("could not close a broken session", e);
    }
  }

  @Override
  public void close() {
    watch.close();
    sessions.close();
  }
}
