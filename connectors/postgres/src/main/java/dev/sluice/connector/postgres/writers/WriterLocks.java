package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import dev.sluice.connector.api.source.writers.WriterStop.Request;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A writer queues behind a request for a lock that excludes it, so that request is short, and what it has got
 * is given back before it is made again. The first lock keeps partitions from coming and going meanwhile, and
 * no writer waits for it. Readers queue behind a request for ACCESS EXCLUSIVE that waits for either of them:
 * then everything is given back.
 */
/**
 * Takes the locks that stop writers, in two stages in one transaction. Used by one thread, once.
 *
 * <p>Has a loop of its own instead of {@code LockAttempts}: the transaction goes on between two
 * attempts, and a statement that only needs more time is not given more.
 */
final class WriterLocks {
  private static final Logger LOG = LoggerFactory.getLogger(WriterLocks.class);

  /** How long writers wait at most for an attempt that fails. */
  private static final Duration ATTEMPT = Duration.ofMillis(200);

  /**
   * No writer waits behind the first stage, so it may wait until the server has cancelled vacuums.
   */
  private static final Duration FIRST_STAGE = Duration.ofSeconds(1);

  /** The session of a frozen process ends after it while it has not stopped the writers. */
  private static final Duration IDLE = Duration.ofSeconds(5);

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
  private static final Duration LOOK = Duration.ofMillis(50);

  /** The lock was not free in time: a timeout of the statement or of the lock, or a deadlock. */
  private static final Set<String> NOT_FREE = Set.of("57014", "55P03", "40P01");

  private static final String WAITING_FOR_ALL =
      """
      SELECT DISTINCT 'process ' || l.pid || ' waits for ACCESS EXCLUSIVE on '
        || l.relation::pg_catalog.regclass
      FROM pg_catalog.pg_locks l
      JOIN pg_catalog.pg_database d
        ON d.oid = l.database AND d.datname = pg_catalog.current_database()
      WHERE l.locktype = 'relation' AND NOT l.granted AND l.mode = 'AccessExclusiveLock'
        AND l.pid <> pg_catalog.pg_backend_pid() AND l.relation = ANY (%s)
      ORDER BY 1""";

  private static final String NOW =
      "SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::int8";

  private final LockSession session;
  private final LocksInTheWay inTheWay;
  private final Request request;
  private final List<TableId> roots;
  private final long begun;
  private TableTree tree = new TableTree(List.of());
  private String lockable = "";
  private int attempts;
  private String seen = "";

  /**
   * @param begun when the request was made
   */
  WriterLocks(LockSession session, LocksInTheWay inTheWay, Request request, long begun) {
    this.begun = begun;
    this.session = session;
    this.inTheWay = inTheWay;
    this.request = request;
    this.roots = request.tables().stream().distinct().sorted().toList();
  }

  /**
   * The locked tables.
   *
   * @param tree the tables
   * @param attempts how many it took
   * @param locking how long the last attempt took
   * @param deadline when the server releases them, in microseconds of its clock since 1970
   */
  record Held(TableTree tree, int attempts, Duration locking, long deadline) {}

  /**
   * Stops the writers.
   *
   * @throws SluiceException.Retryable if the time is over
   * @throws SluiceException.Fatal if the tables are closed already
   */
  Held take() throws SQLException, InterruptedException {
    while (true) {
      if (takeFirstStage()) {
        do {
          if (isWaitedForByAll()) {
            break;
          }
          Held held = attempt();
          if (held != null) {
            return held;
          }
          refuseIfOver();
        } while (pause());
        session.rollback();
      }
      refuseIfOver();
      pauseWithoutLocks();
    }
  }

  /** Returns whether the tables are locked against adding and removing partitions. */
  private boolean takeFirstStage() throws SQLException {
    session.begin(IDLE);
    try {
      boolean mine =
          session
              .run(
                  LockSession.statementTimeout(firstStage()), CutoverKey.tryLock(request.cutover()))
              .get(0)
              .get(0)
              .equals("t");
      if (!mine) {
        seen = "another session of the same cutover";
        session.rollback();
        return false;
      }
      refuseIfKnown();
      tree = TableTree.of(session.run(TableTree.query(roots)));
      refuseIfMissing();
      lockable = tree.roots().stream().map(TableId::quoted).collect(Collectors.joining(", "));
      // Not sooner: whoever waits for all would be waited for, and these locks last.
      if (isWaitedForByAll()) {
        session.rollback();
        return false;
      }
      session.run("LOCK TABLE " + lockable + " IN SHARE UPDATE EXCLUSIVE MODE");
      tree = TableTree.of(session.run(TableTree.query(roots)));
      refuseIfClosed();
      return true;
    } catch (SQLException e) {
      refuseUnlessNotFree(e);
      seen = inTheWay.of(request.tables()).orElse(seen);
      session.rollback();
      return false;
    }
  }

  private Duration firstStage() {
    Duration vacuumsGiveWay = session.deadlockTimeout().multipliedBy(3);
    return vacuumsGiveWay.compareTo(FIRST_STAGE) > 0 ? vacuumsGiveWay : FIRST_STAGE;
  }

  /** Tries once to lock out the writers; null if that took too long. */
  private Held attempt() throws SQLException {
    attempts++;
    long start = System.nanoTime();
    Duration held = held(start);
    try {
      List<String> statements = new ArrayList<>();
      statements.add("SAVEPOINT sluice_attempt");
      // Before the lock: it is never held without them.
      statements.addAll(session.end(held));
      statements.add(LockSession.statementTimeout(limit()));
      statements.add("LOCK TABLE " + lockable + " IN SHARE ROW EXCLUSIVE MODE");
      statements.add(TableTree.query(roots));
      TableTree locked = TableTree.of(session.run(statements));
      Duration locking = Duration.ofNanos(System.nanoTime() - start);
      if (locked.isLocked() && locked.tables().equals(tree.tables()) && !isWaitedForByAll()) {
        // An error from here on releases everything, not only what came after the savepoint.
        long now =
            Long.parseLong(session.run("RELEASE SAVEPOINT sluice_attempt", NOW).get(0).get(0));
        long deadline = now + (held.toNanos() - (System.nanoTime() - start)) / 1000;
        return new Held(locked, attempts, locking, deadline);
      }
    } catch (SQLException e) {
      refuseUnlessNotFree(e);
    }
    session.run("ROLLBACK TO SAVEPOINT sluice_attempt", "RELEASE SAVEPOINT sluice_attempt");
    seen = inTheWay.of(request.tables()).orElse(seen);
    LOG.debug("attempt {} to stop the writers: in the way: {}", attempts, seen);
    return null;
  }

  /** For how long at most the writers are stopped by an attempt that begins now. */
  private Duration held(long start) {
    Duration left = request.latest().minusNanos(start - begun);
    return left.compareTo(request.held()) < 0 ? left : request.held();
  }

  /**
   * The limit of an attempt. Where the application could be the victim of a deadlock with it, it
   * ends long before the server would look for one.
   */
  private Duration limit() {
    Duration half = session.deadlockTimeout().dividedBy(2);
    return session.givesWay() || half.compareTo(ATTEMPT) > 0 ? ATTEMPT : half;
  }

  /** Whether somebody waits behind whom the readers queue. */
  private boolean isWaitedForByAll() throws SQLException {
    List<List<String>> waiting = session.run(WAITING_FOR_ALL.formatted(tree.oids()));
    if (!waiting.isEmpty()) {
      seen = waiting.stream().map(row -> row.get(0)).collect(Collectors.joining("; "));
    }
    return !waiting.isEmpty();
  }

  /** Lets the writers pass that have queued; false if the first stage is to be given back, too. */
  private boolean pause() throws SQLException, InterruptedException {
    return !Polling.every(LOOK).until(jitter(), this::isWaitedForByAll);
  }

  /** A random time, so that two waiting sessions do not collide again. */
  private static Duration jitter() {
    return Duration.ofMillis(
        ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toMillis(), LONGEST_PAUSE.toMillis()));
  }

  private static void pauseWithoutLocks() throws InterruptedException {
    Thread.sleep(jitter().toMillis());
  }

  private void refuseIfKnown() throws SQLException {
    Optional<Decision> known = Decisions.of(session, request.cutover());
    if (known.isPresent()) {
      throw new SluiceException.Fatal(MoveFailures.known(request.cutover(), known.get()));
    }
  }

  private void refuseIfMissing() {
    List<TableId> missing = new ArrayList<>(roots);
    missing.removeAll(tree.roots());
    if (!missing.isEmpty()) {
      throw new SluiceException.Overtaken(
          "stopping the writers: no tables any more: " + missing, null);
    }
  }

  private void refuseIfClosed() {
    if (!tree.closed().isEmpty()) {
      throw new SluiceException.Fatal(MoveFailures.closed(tree.closed()));
    }
  }

  private static void refuseUnlessNotFree(SQLException error) throws SQLException {
    if (!NOT_FREE.contains(error.getSQLState())) {
      throw error;
    }
  }

  private void refuseIfOver() {
    long passed = System.nanoTime() - begun;
    if (passed < request.attempts().toNanos() && passed < request.latest().toNanos()) {
      return;
    }
    throw new SluiceException.Retryable(
        new Problem(
                "stopping the writers of %d tables".formatted(request.tables().size()),
                "the locks were not free in %d attempts within %s; in the way: %s"
                    .formatted(
                        attempts,
                        request.attempts(),
                        seen.isEmpty() ? "no session that was seen" : seen),
                "no transaction that holds locks of writers on them for longer than "
                    + limit().toMillis()
                    + " ms",
                "End these transactions, or wait for their end; nothing is locked any more")
            .toString(),
        null);
  }
}
