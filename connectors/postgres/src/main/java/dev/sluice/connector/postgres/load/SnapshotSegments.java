package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.TableChanged;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads segments under an exported snapshot. Owned by the reading thread; only {@link #abort} may
 * be called from another one.
 */
public final class SnapshotSegments implements SnapshotReader {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSegments.class);

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /** Time of waiting for a lock after which a log line names its holders. */
  private static final Duration LOCK_WARN_AFTER = Duration.ofSeconds(20);

  private static final String HOLDERS =
      """
      SELECT coalesce(pg_catalog.string_agg(pg_catalog.format('%s of pid %s', l.mode, l.pid), ', '),
        'a session that is not visible')
      FROM pg_catalog.pg_locks l
      WHERE l.relation = pg_catalog.to_regclass(?) AND l.granted AND l.mode = 'AccessExclusiveLock'
        AND l.database = (SELECT oid FROM pg_catalog.pg_database
                          WHERE datname = pg_catalog.current_database())
      """;

  private final SourceServer server;
  private final Connection snapshot;
  private final Connection present;

  private SnapshotSegments(SourceServer server, Connection snapshot, Connection present) {
    this.server = server;
    this.snapshot = snapshot;
    this.present = present;
  }

  /**
   * Opens two sessions: one that imports the snapshot, and one that reads the present catalog. In
   * the snapshot's transaction the catalog is as old as all other tables.
   *
   * @param name of a snapshot whose exporting transaction is still open
   * @throws SluiceException.Retryable if the server is unreachable or the snapshot no longer exists
   */
  public static SnapshotSegments open(SourceServer server, String name) {
    Connection snapshot = server.connect();
    try (Statement statement = snapshot.createStatement()) {
      statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      statement.execute("SET TRANSACTION SNAPSHOT '" + name.replace("'", "''") + "'");
      return new SnapshotSegments(server, snapshot, server.connect());
    } catch (SQLException e) {
      close(snapshot);
      // Retryable: the next attempt gets a new slot and its snapshot.
      throw new SluiceException.Retryable(
          "could not import the snapshot '%s' on %s: %s".formatted(name, server, e.getMessage()),
          e);
    } catch (SluiceException e) {
      close(snapshot);
      throw e;
    }
  }

  /**
   * Locks the segment's leaf, or the tables that a view reads, against rewriting, truncating and
   * dropping until {@link #release}. Waits for sessions that do so, and logs them. Waiting for this
   * lock does not block the application's statements.
   *
   * @return the difference if the leaf was dropped
   */
  @Override
  public Optional<TableChanged> hold(RecordedTable recorded, Segment segment) {
    // LOCK accepts no materialized views; a query without rows takes the same locks.
    String lock =
        recorded.isView()
            ? "SELECT FROM " + segment.leaf().quoted() + " WHERE false"
            : "LOCK TABLE ONLY " + segment.leaf().quoted() + " IN ACCESS SHARE MODE";
    try (Statement statement = snapshot.createStatement()) {
      statement.execute("SAVEPOINT segment");
      while (!isLocked(statement, lock)) {
        LOG.warn(
            "table {} is locked, the load waits for: {}",
            segment.leaf(),
            holdersOf(segment.leaf()));
      }
      return Optional.empty();
    } catch (SQLException e) {
      if ("42P01".equals(e.getSQLState()) || "3F000".equals(e.getSQLState())) {
        return Optional.of(new TableChanged(segment.table(), segment.leaf() + " is gone"));
      }
      throw SourceErrors.classify("lock " + segment, e);
    }
  }

  private static boolean isLocked(Statement statement, String lock) throws SQLException {
    try {
      statement.execute("SET LOCAL lock_timeout = " + LOCK_WARN_AFTER.toMillis());
      statement.execute(lock);
      statement.execute("SET LOCAL lock_timeout = 0");
      return true;
    } catch (SQLException e) {
      if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw e;
      }
      statement.execute("ROLLBACK TO SAVEPOINT segment");
      return false;
    }
  }

  private String holdersOf(TableId leaf) throws SQLException {
    try (PreparedStatement holders = present.prepareStatement(HOLDERS)) {
      holders.setString(1, leaf.quoted());
      try (ResultSet row = holders.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  /**
   * Compares the table of a locked segment with its record from before the snapshot.
   *
   * @return the first difference
   */
  @Override
  public Optional<TableChanged> difference(RecordedTable recorded, Segment segment) {
    return difference(recorded, now -> differenceBetween(recorded, now, segment.leaf()));
  }

  /** Compares a partitioned table without partitions, of which there is nothing to lock. */
  @Override
  public Optional<TableChanged> difference(RecordedTable recorded) {
    return difference(recorded, now -> differenceBetween(recorded, now));
  }

  private Optional<TableChanged> difference(
      RecordedTable recorded, Function<RecordedTable, Optional<String>> compared) {
    return new TableRecorder(present)
        .find(recorded.table())
        .map(compared)
        .orElse(Optional.of("it is gone"))
        .map(difference -> new TableChanged(recorded.table(), difference));
  }

  @Override
  public SegmentRange rangeOf(RowsByKey rows) {
    return KeyCondition.of(rows);
  }

  /**
   * Begins to read a locked segment; one at a time.
   *
   * @throws SluiceException if the source refuses, for example because row security would hide rows
   *     from this user
   */
  @Override
  public SegmentRows read(Segment segment, CopyLayout layout) {
    String sql =
        "COPY "
            + layout.source(segment.leaf(), SqlRange.conditionOf(segment.rows()))
            + " TO STDOUT WITH "
            + layout.format().options();
    try {
      return CopyRows.begin(segment, layout.format(), snapshot, sql);
    } catch (SQLException e) {
      throw SourceErrors.classify("read " + segment, e);
    }
  }

  /** Counts the values of a locked segment that the layout truncates; after its rows were read. */
  @Override
  public long countCut(Segment segment, CopyLayout layout) {
    Optional<String> sql = layout.countOfCut(segment.leaf(), SqlRange.conditionOf(segment.rows()));
    if (sql.isEmpty()) {
      return 0;
    }
    try (Statement statement = snapshot.createStatement();
        ResultSet count = statement.executeQuery(sql.get())) {
      count.next();
      return count.getLong(1);
    } catch (SQLException e) {
      throw SourceErrors.classify("count the cut values of " + segment, e);
    }
  }

  /** Releases the lock of the segment's leaf; the snapshot stays open. */
  @Override
  public void release(Segment segment) {
    try (Statement statement = snapshot.createStatement()) {
      // A rollback to the savepoint releases the locks that were taken after it.
      statement.execute("ROLLBACK TO SAVEPOINT segment; RELEASE SAVEPOINT segment");
    } catch (SQLException e) {
      throw SourceErrors.classify("unlock " + segment, e);
    }
  }

  /** Aborts the owner's running statement, which then throws an exception. From any thread. */
  @Override
  public void abort() {
    abort(snapshot);
    abort(present);
  }

  /** Idempotent. */
  @Override
  public void close() {
    close(snapshot);
    close(present);
  }

  private static Optional<String> differenceBetween(RecordedTable recorded, RecordedTable now) {
    if (!recorded.columns().equals(now.columns())) {
      return Optional.of(
          "its columns were %s, now %s".formatted(recorded.columns(), now.columns()));
    }
    Set<TableId> leavesBefore = leaves(recorded);
    Set<TableId> leavesNow = leaves(now);
    if (!leavesBefore.equals(leavesNow)) {
      return Optional.of("its partitions were %s, now %s".formatted(leavesBefore, leavesNow));
    }
    return Optional.empty();
  }

  private static Optional<String> differenceBetween(
      RecordedTable recorded, RecordedTable now, TableId leaf) {
    Optional<String> ofTable = differenceBetween(recorded, now);
    if (ofTable.isPresent()) {
      return ofTable;
    }
    RecordedLeaf before = leaf(recorded, leaf);
    RecordedLeaf after = leaf(now, leaf);
    if (before.storage() != after.storage()) {
      return Optional.of(
          "%s was truncated or rewritten: its file was %d, now %d"
              .formatted(leaf, before.storage(), after.storage()));
    }
    if (!before.attributes().equals(after.attributes())) {
      return Optional.of(
          "the columns of %s were %s, now %s"
              .formatted(leaf, before.attributes(), after.attributes()));
    }
    return recorded.view().equals(now.view())
        ? Optional.empty()
        : Optional.of(
            "view %s was re-created, or what it reads was truncated, rewritten or has other"
                    .formatted(leaf)
                + " partitions: it was %s, now %s".formatted(recorded.view(), now.view()));
  }

  private static Set<TableId> leaves(RecordedTable table) {
    return new HashSet<>(table.leaves().stream().map(RecordedLeaf::leaf).toList());
  }

  private static RecordedLeaf leaf(RecordedTable table, TableId name) {
    return table.leaves().stream()
        .filter(leaf -> leaf.leaf().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException("BUG: %s has no leaf %s".formatted(table.table(), name)));
  }

  private void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("could not abort a session of {}", server, e);
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("could not close a broken session", e);
    }
  }
}
