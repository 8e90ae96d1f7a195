package dev.sluice.sink.apply;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.SessionAge;
import dev.sluice.sink.apply.plan.Staging;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.StageTimes;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the target transactions of one lane, each of which locks the lane's checkpoint row first.
 * Opens the connection when it is needed and reconnects after a failure. Owned by the apply thread.
 */
final class WindowTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(WindowTransactions.class);

  /** Work inside a transaction. It commits or rolls back itself, unless it fails. */
  interface Work<T> {

    /**
     * @param before the checkpoint's journal offset on the target
     */
    T run(ApplySession session, JournalOffset before) throws SQLException;
  }

  private TargetServer server;
  private final CheckpointRows checkpoint;
  private final StageTimes stages;
  private final TargetCatalog catalog = new TargetCatalog();

  /** The highest position that was seen in the target's checkpoint. */
  private Position applied;

  private final SessionAge age = new SessionAge();

  /** Null while there is no connection. */
  private ApplySession session;

  /** The session's connection, for {@link #breakOff}; null while there is none. */
  private volatile TargetConnection open;

  /** The last work of the session met an error other than a conflict. */
  private boolean strained;

  private volatile boolean brokenOff;

  WindowTransactions(
      TargetServer server, CheckpointRows checkpoint, Position applied, StageTimes stages) {
    this.server = server;
    this.checkpoint = checkpoint;
    this.applied = applied;
    this.stages = stages;
  }

  /** Opens the session, which otherwise the first transaction does. */
  void prepare() {
    connected();
  }

  /** The cached definitions of target tables. Cleared after each rollback, which may undo DDL. */
  TargetCatalog catalog() {
    return catalog;
  }

  /** Sets the size of the statement cache; a new size needs a new connection. */
  void cacheStatements(int size) {
    if (server.statementCacheSize() != size) {
      server = server.withStatementCacheSize(size);
      close();
    }
  }

  /**
   * Does work in a new transaction, after it has locked the checkpoint row.
   *
   * @param attempted what is done, for messages
   * @throws SluiceException.Rewound if the target has lost windows that were applied
   * @throws SluiceException if the work fails; the transaction is rolled back then
   */
  <T> T run(String attempted, Work<T> work) {
    stages.enter(ApplyStage.LOCK);
    try {
      return runTimed(attempted, work);
    } finally {
      stages.leave();
    }
  }

  private <T> T runTimed(String attempted, Work<T> work) {
    ApplySession current = connected();
    current.beginWork();
    Set<String> createdApart = new HashSet<>();
    try {
      while (true) {
        JournalOffset before = lock(current);
        if (before.position().isAfter(applied)) {
          // Another lane or an unanswered COMMIT moved the checkpoint, and may have altered tables.
          close();
          catalog.forget();
          current = connected();
          createdApart.clear();
          applied = before.position();
          before = lock(current);
        }
        stages.enter(ApplyStage.PREPARE);
        try {
          return work.run(current, before);
        } catch (Staging.Missing e) {
          catalog.forget();
          current.createApart(attempted, e, createdApart);
          LOG.debug("{} begins again: it needed the {}", attempted, e.getMessage());
        } catch (NeededApart e) {
          if (!createdApart.add(e.getMessage())) {
            throw new SluiceException.Retryable(
                "%s: %s is missing again after it was made: somebody else has removed it"
                    .formatted(attempted, e.getMessage()),
                null);
          }
          rollBack(current);
          new DefinitionBeforeWindow(server, checkpoint).make(current, e, before);
        }
      }
    } catch (SQLException e) {
      SluiceException failure = server.errors().classify(attempted, e);
      end(failure);
      throw failure;
    } catch (SluiceException e) {
      end(e);
      throw e;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * Commits the open transaction.
   *
   * @param position the checkpoint's position after the commit
   */
  void commit(ApplySession current, Position position) throws SQLException {
    current.connection().jdbc().commit();
    current.committed();
    strained = false;
    applied = position;
  }

  void rollBack(ApplySession current) {
    current.connection().rollback();
    current.rolledBack();
    catalog.forget();
  }

  /** Closes the connection. Idempotent. */
  void close() {
    if (session != null) {
      session.connection().close();
      session = null;
      open = null;
    }
  }

  /**
   * Replaces the session if it is too old or its temporary tables have grown too far, and keeps it
   * if no new one can be opened. Call it between two transactions.
   *
   * @param now time of a monotonic clock, in nanoseconds
   */
  void renewWhereDue(long now) {
    if (session == null) {
      return;
    }
    if (session.staging().isWorn()) {
      age.worn(now);
    }
    if (!age.isDue(now)) {
      return;
    }
    TargetConnection next;
    try {
      next = server.connect();
    } catch (SluiceException e) {
      LOG.warn(
          "the session on the target could not be renewed; its temporary tables grow and hold back the oldest"
              + " transaction id of the database; tried again in {} s: {}",
          SessionAge.NEXT_TRY.toSeconds(),
          e.getMessage());
      age.failed(now);
      return;
    }
    close();
    begin(next);
    LOG.debug("the session on the target was renewed");
  }

  /**
   * Ends the session at once, also while a statement runs; none is opened after it. Any thread,
   * idempotent.
   */
  void breakOff() {
    brokenOff = true;
    TargetConnection current = open;
    if (current != null) {
      current.breakOff();
    }
  }

  private JournalOffset lock(ApplySession current) throws SQLException {
    JournalOffset onTarget = checkpoint.lock(current.connection());
    if (applied.isAfter(onTarget.position())) {
      throw new SluiceException.Rewound(
          "the target has gone back: its checkpoint is at %s, but changes up to %s were applied; it crashed or was restored"
              .formatted(onTarget.position(), applied));
    }
    return onTarget;
  }

  /** Cleans up after a failure; keeps the connection if it is usable. */
  private void end(SluiceException failure) {
    catalog.forget();
    if (failure instanceof SluiceException.Data || failure instanceof SluiceException.Table) {
      rollBack(session);
    } else if (session != null && goesOn(failure)) {
      // Its temporary tables stay: to make them again may meet the next conflict.
      rollBack(session);
      session.overtaken();
    } else {
      close();
    }
  }

  /** A session goes on after conflicts, and once after another error of the server's storage. */
  private boolean goesOn(SluiceException failure) {
    boolean first = !strained;
    strained = !RepeatedTransaction.isOvertaken(server.errors(), failure);
    return !strained
        || first
            && failure.getCause() instanceof SQLException cause
            && server.errors().leavesSession(cause);
  }

  private ApplySession connected() {
    if (session == null) {
      TargetConnection connection = server.connect();
      begin(connection);
      LOG.info(
          "connected to the target as {}, {} {}, replica role {}",
          server,
          connection.product(),
          connection.majorVersion(),
          connection.replicaRole() ? "on" : "not allowed");
    }
    return session;
  }

  private void begin(TargetConnection connection) {
    open = connection;
    strained = false;
    session = new ApplySession(connection, stages);
    age.opened();
    catalog.forget();
    if (brokenOff) {
      close();
      throw new SluiceException.Retryable("the session on the target was broken off", null);
    }
  }
}
