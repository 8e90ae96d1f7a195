package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/*
 * The isolation level is YugabyteDB's for long reads: it waits once for the clocks of all servers,
 * so that a later read of the snapshot finds no row whose age is uncertain. On PostgreSQL it reads
 * the same as REPEATABLE READ.
 *
 * A read runs in a savepoint, whose end releases its settings and locks. The table is not locked:
 * if it was altered during the read, the catalog shows that after the read. YugabyteDB reads the
 * current catalog and not the snapshot's. So a change between the snapshot and the first read of a
 * table's catalog is not noticed, and nobody may alter the tables meanwhile.
 */
/**
 * A snapshot that no other session can join: one transaction, in which all reads of a view run one
 * after the other. A second session sees the current catalog. Owned by one thread at a time.
 */
final class OneTransaction implements SideReads, SideLanes {
  private static final String BEGIN = "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE";
  private static final String BACK = "ROLLBACK TO SAVEPOINT compared; RELEASE SAVEPOINT compared";

  private final SideServer server;
  private final SideSession session;
  private final SideSession present;
  private final long deadline;

  private boolean begun;

  private OneTransaction(
      SideServer server, SideSession session, SideSession present, long deadline) {
    this.server = server;
    this.session = session;
    this.present = present;
    this.deadline = deadline;
  }

  /** Opens both sessions. */
  static OneTransaction open(SideServer server, Duration life) {
    SideSession session = SideSession.open(server, life);
    try {
      SideSession present = SideSession.open(server, life);
      return new OneTransaction(server, session, present, System.nanoTime() + life.toNanos());
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /**
   * Takes a snapshot in place of an earlier one.
   *
   * @param first the first read under the snapshot
   */
  <T> T begin(Work<T> first) {
    begun = false;
    try {
      session.execute("ROLLBACK");
      session.execute(BEGIN);
      T result = first.run(session);
      begun = true;
      return result;
    } catch (SQLException e) {
      session.rollback();
      throw failed("a snapshot", e);
    }
  }

  /** Whether there is no snapshot, since none was taken or an error has ended it. */
  boolean isOver() {
    return !begun;
  }

  @Override
  public boolean tryOpen() {
    return true;
  }

  @Override
  public <T> T ofCatalog(String what, Work<T> work) {
    return read(what, Plan.ANY, work);
  }

  @Override
  public <T> T ofTable(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
    return read(
        "table " + table,
        plan,
        reading -> {
          requireState(table, known);
          T result = work.run(reading);
          requireState(table, known);
          return result;
        });
  }

  @Override
  public <T> T ofBorder(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
    return read("table " + table, plan, work);
  }

  private <T> T read(String what, Plan plan, Work<T> work) {
    long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
    if (!begun || left <= 0) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the snapshot of the %s is over".formatted(server), null);
    }
    try {
      // A generic plan would not know how many keys there are.
      session.execute(
          "SAVEPOINT compared; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL statement_timeout = %d; %s"
              .formatted(left, plan.settings()));
      T result = work.run(session);
      session.execute(BACK);
      return result;
    } catch (SQLException e) {
      begun = isOfValueOrName(e) && isBack();
      throw failed(what, e);
    } catch (RuntimeException e) {
      begun = isBack();
      throw e;
    }
  }

  /** Whether the snapshot certainly outlives the error. */
  private static boolean isOfValueOrName(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    return state.startsWith("22") || state.startsWith("42");
  }

  private boolean isBack() {
    try {
      session.execute(BACK);
      return true;
    } catch (SQLException e) {
      session.rollback();
      return false;
    }
  }

  private void requireState(TableId table, SnapshotTable known) throws SQLException {
    Optional<String> now =
        present.query(
            CatalogQueries.STATE, List.of(table.schema(), table.name()), CatalogReading::text);
    if (!now.equals(Optional.of(known.state()))) {
      throw new NotReadable(
          Reason.CHANGED,
          "table %s of the %s was truncated, rewritten or altered after the snapshot"
              .formatted(table, server),
          null);
    }
  }

  /** The failure of a read. A temporary error ends the snapshot, and another one may be taken. */
  private RuntimeException failed(String what, SQLException error) {
    RuntimeException failure = ReadFailures.of(server, what, false, error);
    return failure instanceof NotReadable found
            && found.reason() == Reason.FAILED
            && server.failed("compare " + what, error) instanceof SluiceException.Retryable
        ? new NotReadable(Reason.OUT_OF_TIME, found.getMessage(), error)
        : failure;
  }

  @Override
  public SideReads first() {
    return this;
  }

  @Override
  public SideReads another() {
    return new WithoutSession();
  }

  /** Closes the connection, which also ends the transaction of a running read. */
  @Override
  public void close() {
    session.close();
    present.close();
  }

  /** A further lane without a session: the first lane makes all reads. */
  private static final class WithoutSession implements SideReads {
    @Override
    public boolean tryOpen() {
      return false;
    }

    @Override
    public <T> T ofCatalog(String what, Work<T> work) {
      throw unopened();
    }

    @Override
    public <T> T ofTable(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
      throw unopened();
    }

    @Override
    public <T> T ofBorder(TableId table, SnapshotTable known, Plan plan, Work<T> work) {
      throw unopened();
    }

    private static IllegalStateException unopened() {
      return new IllegalStateException("BUG: a read in a lane that was not opened");
    }
  }
}
