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
 * The isolation level is that of YugabyteDB for long reads: it waits once for the clocks of all
 * servers, so that no later read of the snapshot meets a row of which it is not known whether it is
 * older. On PostgreSQL it reads what REPEATABLE READ reads.
 *
 * A read is a savepoint, which it gives back with its settings and locks. The table is not locked:
 * what has altered it while it is read is seen in the catalog after the read. YugabyteDB reads its
 * catalog as it is now, not as the snapshot has it, so what was altered between the snapshot and
 * the table's first look at the catalog is not seen. So nobody may alter the tables meanwhile.
 */
/**
 * A snapshot that no other session can join: one transaction, in which all reads of a view follow
 * each other. A second session sees the catalog as it is now. Owned by one thread at a time.
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
   * @param first reads under it
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

  /** Whether no snapshot can be read, since none was taken or an error has ended it. */
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

  /** Whether the snapshot outlives the error; nobody knows that of any other one. */
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

  /** What passes by itself ends the snapshot, and another one may be read. */
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

  /** The end of its connection ends the transaction, also while a read runs. */
  @Override
  public void close() {
    session.close();
    present.close();
  }

  /** A further lane, which leaves all reads to the first one. */
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
