package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The open transaction that holds the locks, makes the triggers, and commits with the decision.
 * Used by one thread.
 */
final class HeldWriters implements StoppedWriters {
  private final LockSession session;
  private final UUID cutover;
  private final WriterLocks.Held held;
  private String movedTo;
  private Optional<String> reverseRole = Optional.empty();
  private boolean refusesDdl;

  HeldWriters(LockSession session, UUID cutover, WriterLocks.Held held) {
    this.session = session;
    this.cutover = cutover;
    this.held = held;
  }

  @Override
  public Set<TableId> tables() {
    return held.tree().tables();
  }

  @Override
  public int attempts() {
    return held.attempts();
  }

  @Override
  public Duration locking() {
    return held.locking();
  }

  @Override
  public void prepareMove(String newMovedTo, Optional<String> newReverseRole) {
    List<String> statements = new ArrayList<>();
    statements.add(left("statement_timeout"));
    statements.add(StoppedSequences.statement(held.tree()));
    statements.add(MovedSchema.prepare(held, cutover, newMovedTo, newReverseRole));
    // The server counts from the end of the last statement.
    statements.add(left("idle_in_transaction_session_timeout"));
    statements.add(DdlRefusal.IS_THERE);
    try {
      refusesDdl = session.run(statements).get(0).get(0).equals("t");
      movedTo = newMovedTo;
      reverseRole = newReverseRole;
    } catch (SQLException e) {
      session.close();
      throw MoveFailures.classify("close the tables for writers", e);
    }
  }

  @Override
  public boolean refusesDdl() {
    return refusesDdl;
  }

  @Override
  public void decide() {
    if (movedTo == null) {
      throw new IllegalStateException("decided before it was prepared");
    }
    try {
      session.run(
          left("statement_timeout"),
          MovedSchema.decide(held, cutover, movedTo, reverseRole),
          LockSession.DURABLE,
          // A wait for a standby that was cut short would be a commit that the standby lacks.
          "SET LOCAL statement_timeout = 0",
          "COMMIT");
    } catch (SQLException e) {
      throw MoveFailures.classify("decide cutover " + cutover, e);
    } finally {
      session.close();
    }
  }

  /** Sets a limit to the time that is left until the writers are released. */
  private String left(String setting) {
    return ("SELECT pg_catalog.set_config('%s', greatest(1, (extract(epoch FROM"
            + " pg_catalog.to_timestamp(%d / 1000000.0) - pg_catalog.clock_timestamp()) * 1000)"
            + "::int8)::text, true)")
        .formatted(setting, held.deadline());
  }

  @Override
  public void cut() {
    session.cut();
  }

  @Override
  public void close() {
    session.close();
  }
}
