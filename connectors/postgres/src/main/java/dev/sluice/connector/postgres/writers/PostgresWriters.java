package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.postgres.activity.PostgresActivity;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Stops the writers of a PostgreSQL source with locks and triggers. Immutable, threadsafe. */
public final class PostgresWriters implements WriterStop {
  /** Of a session that has something to do all the time. */
  private static final Duration IDLE = Duration.ofSeconds(5);

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final SourceServer server;
  private final PostgresActivity activity;

  public PostgresWriters(SourceServer server, PostgresActivity activity) {
    this.server = server;
    this.activity = activity;
  }

  @Override
  public List<Problem> lacking(Collection<TableId> tables) {
    return new LackingRights(server).of(tables);
  }

  @Override
  public StoppedWriters stop(Request request) throws InterruptedException {
    String attempted = "stop the writers of %d tables".formatted(request.tables().size());
    long begun = System.nanoTime();
    LockSession session = null;
    boolean stopped = false;
    try {
      session = LockSession.open(server, request.held());
      WriterLocks.Held held =
          new WriterLocks(session, new LocksInTheWay(activity), request, begun).take();
      stopped = true;
      return new HeldWriters(session, request.cutover(), held);
    } catch (SQLException e) {
      throw MoveFailures.classify(attempted, e);
    } finally {
      if (session != null && !stopped) {
        session.close();
      }
    }
  }

  @Override
  public Decision decision(UUID cutover, Duration timeout) {
    String attempted = "find out what was decided about cutover " + cutover;
    try (LockSession session = LockSession.open(server, timeout)) {
      session.begin(IDLE);
      // The session that could still decide it holds this lock until its transaction has ended.
      session.run(LockSession.lockTimeout(timeout), CutoverKey.lock(cutover));
      Optional<Decision> known = Decisions.of(session, cutover);
      if (known.isEmpty() && Decisions.areWritable(session)) {
        // So that a session that has not even begun cannot decide it any more.
        session.run(MovedSchema.giveUp(cutover), LockSession.DURABLE, "COMMIT");
      }
      return known.orElse(Decision.NOT_MOVED);
    } catch (SQLException e) {
      throw MoveFailures.undecided(attempted, timeout, e);
    }
  }

  @Override
  public List<Problem> opened(Optional<UUID> decided, Collection<TableId> tables) {
    return new ClosedTables(server).opened(decided, tables);
  }

  @Override
  public List<Moved> moved(Whose whose) {
    return new DecidedCutovers(server).of(whose);
  }

  @Override
  public Reopened reopen(Whose whose) {
    return new Reopening(server, whose).run();
  }

  @Override
  public List<TableId> reopenMade(Whose whose) {
    return new Reopening(server, whose).ofMade();
  }

  @Override
  public boolean tidy() {
    try (LockSession session = LockSession.open(server, LIMIT)) {
      if (!Decisions.isThere(session)) {
        return false;
      }
      session.run(MovedSchema.remove(List.of()));
      return !Decisions.isThere(session);
    } catch (SQLException e) {
      throw MoveFailures.classify("remove what cutovers have left that were given up", e);
    }
  }
}
