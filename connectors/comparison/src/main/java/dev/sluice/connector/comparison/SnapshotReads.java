package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Short transactions on an exported snapshot, in their own session. A read of a table takes the
 * table's lock with a short timeout, checks before and after whether the table is still the one
 * that the snapshot shows, and is cancelled as soon as others wait for the lock. Owned by one
 * thread at a time; closed by any.
 */
final class SnapshotReads implements SideReads, AutoCloseable {
  /** The lock timeout, for a single lock and for all partitions of a table together. */
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(100);

  private static final Duration ALL_LOCKS_TIMEOUT = LOCK_TIMEOUT.multipliedBy(2);

  private static final Logger LOG = LoggerFactory.getLogger(SnapshotReads.class);

  private final SideServer server;
  private final Supplier<SideSession> opening;
  private final LockWatch watch;
  private final AtomicReference<Snapshot> snapshot;

  /** The session, once it was used. These fields are protected by this object's lock. */
  private Optional<SideSession> opened = Optional.empty();

  private boolean closed;

  private SnapshotReads(
      SideServer server,
      Supplier<SideSession> opening,
      LockWatch watch,
      AtomicReference<Snapshot> snapshot) {
    this.server = server;
    this.opening = opening;
    this.watch = watch;
    this.snapshot = snapshot;
  }

  /**
   * Uses an open session.
   *
   * @param watch closed by its owner
   */
  static SnapshotReads of(SideServer server, SideSession session, LockWatch watch) {
    SnapshotReads reads = new SnapshotReads(server, () -> session, watch, new AtomicReference<>());
    reads.session();
    return reads;
  }

  /**
   * Reads that always use the same snapshot as this, in another session, which the first read
   * opens.
   */
  SnapshotReads another(Duration life) {
    return new SnapshotReads(server, () -> SideSession.open(server, life), watch, snapshot);
  }

  @Override
  public boolean tryOpen() {
    try {
      session();
      return true;
    } catch (SluiceException e) {
      LOG.debug("no further session for a comparison: {}", e.getMessage());
      return false;
    }
  }

  private synchronized SideSession session() {
    if (closed) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the session with the %s has ended".formatted(server), null);
    }
    if (opened.isEmpty()) {
      opened = Optional.of(opening.get());
    }
    return opened.get();
  }

  /**
   * An exported snapshot. Immutable.
   *
   * @param name with which other sessions import it
   * @param deadline by {@link System#nanoTime}
   */
  record Snapshot(String name, long deadline) {
    Duration left() {
      return Duration.ofNanos(deadline - System.nanoTime());
    }
  }

  /** Reads under this snapshot from now on. */
  void use(Snapshot taken) {
    snapshot.set(taken);
  }

  @Override
  public <T> T ofCatalog(String what, Work<T> work) {
    SideSession session = session();
    try {
      begin(session, "SET LOCAL enable_seqscan = on");
      T result = work.run(session);
      session.execute("COMMIT");
      return result;
    } catch (SQLException e) {
      session.rollback();
      throw failed(what, false, e);
    } catch (RuntimeException e) {
      session.rollback();
      throw e;
    }
  }

  @Override
  public <T> T ofTable(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
    return read(
        table,
        known,
        plan,
        session -> {
          requireState(table, known.state());
          T result = work.run(session);
          requireState(table, known.state());
          return result;
        });
  }

  @Override
  public <T> T ofBorder(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
    return read(table, known, plan, work);
  }

  private <T> T read(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
    String relation = (known.table().withLeaves() ? "" : "ONLY ") + table.quoted();
    SideSession session = session();
    watch.begin(session);
    boolean blocking = false;
    try {
      begin(session, "LOCK TABLE %s IN ACCESS SHARE MODE; %s".formatted(relation, plan.settings()));
      T result = work.run(session);
      blocking = watch.end(session);
      session.execute("COMMIT");
      return result;
    } catch (SQLException e) {
      blocking |= watch.end(session);
      session.rollback();
      throw failed("table " + table, blocking, e);
    } catch (RuntimeException e) {
      watch.end(session);
      session.rollback();
      throw e;
    }
  }

  /**
   * Begins a transaction.
   *
   * @param statements executed in it
   */
  private void begin(SideSession session, String statements) throws SQLException {
    Snapshot taken = snapshot.get();
    if (taken == null) {
      throw new IllegalStateException("BUG: no snapshot was taken");
    }
    long left = taken.left().toMillis();
    if (left <= 0) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the snapshot of the %s is over".formatted(server), null);
    }
    try {
      session.execute(
          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '%s'"
              .formatted(taken.name()));
    } catch (SQLException e) {
      session.rollback();
      throw ReadFailures.ofSnapshot(server, e);
    }
    // Not a generic plan, which would not know the number of keys.
    session.execute(
        "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL lock_timeout = %d; SET LOCAL statement_timeout = %d; %s; SET LOCAL statement_timeout = %d"
            .formatted(LOCK_TIMEOUT.toMillis(), ALL_LOCKS_TIMEOUT.toMillis(), statements, left));
  }

  private void requireState(TableId table, String state) throws SQLException {
    Optional<String> now =
        watch.query(
            CatalogQueries.STATE, List.of(table.schema(), table.name()), CatalogReading::text);
    if (!now.equals(Optional.of(state))) {
      throw new NotReadable(
          Reason.CHANGED,
          "table %s of the %s was truncated, rewritten or altered after the snapshot"
              .formatted(table, server),
          null);
    }
  }

  private RuntimeException failed(String what, boolean blocking, SQLException error) {
    return ReadFailures.of(server, what, blocking, error);
  }

  /** Closes its session. */
  @Override
  public synchronized void close() {
    closed = true;
    opened.ifPresent(SideSession::close);
  }
}
