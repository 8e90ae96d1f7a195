package dev.sluice.sink.apply;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.SessionAge;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transactions of a lane on its target: each begins by locking the lane's checkpoint row. Opens
 * the connection when it is needed, and again after it broke. Owned by the apply thread.
 */
final class WindowTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(WindowTransactions.class);

  /** What is done in a transaction, which it ends itself where nothing fails. */
  interface Work<T> {

    /**
     * @param before what the checkpoint says on the target
     */
    T run(ApplySession session, JournalOffset before) throws SQLException;
  }

  private TargetServer server;
  private final CheckpointRows checkpoint;
  private final TargetCatalog catalog = new TargetCatalog();

  /** The last window that was seen on the target. */
  private Position applied;

  private final SessionAge age = new SessionAge();

  /** Null while there is no connection. */
  private ApplySession session;

  /** The session's connection, for who breaks it off; null while there is none. */
  private volatile TargetConnection open;

  private volatile boolean brokenOff;

  WindowTransactions(TargetServer server, CheckpointRows checkpoint, Position applied) {
    this.server = server;
    this.checkpoint = checkpoint;
    this.applied = applied;
  }

  /** What the target's tables look like; read anew after each rollback, which may undo DDL. */
  TargetCatalog catalog() {
    return catalog;
  }

  /** A connection keeps the size that it was opened with, so another size takes another one. */
  void cacheStatements(int size) {
    if (server.statementCacheSize() != size) {
      server = server.withStatementCacheSize(size);
      close();
    }
  }

  /**
   * Does a piece of work in a transaction of its own.
   *
   * @param attempted for messages
   * @throws SluiceException.Rewound where the target has lost windows that were applied
   * @throws SluiceException what the work failed with; the transaction is undone then
   */
  <T> T run(String attempted, Work<T> work) {
    ApplySession current = connected();
    try {
      JournalOffset before = lock(current);
      if (before.position().isAfter(applied)) {
        // Another lane has moved it, or a COMMIT without an answer: tables may have been altered.
        close();
        catalog.forget();
        current = connected();
        applied = before.position();
        before = lock(current);
      }
      return work.run(current, before);
    } catch (SQLException e) {
      SluiceException failure = TargetErrors.classify(attempted, e);
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
   * Commits.
   *
   * @param position of the checkpoint that is on the target then
   */
  void commit(ApplySession current, Position position) throws SQLException {
    current.connection().jdbc().commit();
    current.committed();
    applied = position;
  }

  void rollBack(ApplySession current) {
    current.connection().rollback();
    current.rolledBack();
    catalog.forget();
  }

  /** Gives up the connection. Idempotent. */
  void close() {
    if (session != null) {
      session.connection().close();
      session = null;
      open = null;
    }
  }

  /**
   * Opens the session again where it is too old; keeps it where the server gives none. To be called
   * between two transactions.
   *
   * @param now by a clock that never goes back, in nanoseconds
   */
  void renewWhereDue(long now) {
    if (session == null || !age.isDue(now)) {
      return;
    }
    TargetConnection next;
    try {
      next = server.connect();
    } catch (SluiceException e) {
      LOG.warn(
          "the session on the target is not renewed, its temporary tables hold back the oldest"
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

  /** Ends the session for good, whatever it does. From any thread, idempotent. */
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
          "the target has gone back: its checkpoint is at %s, but changes up to %s were applied; it has crashed or was restored"
              .formatted(onTarget.position(), applied));
    }
    return onTarget;
  }

  /** After a failure: keeps the connection where it is sound. */
  private void end(SluiceException failure) {
    catalog.forget();
    if (failure instanceof SluiceException.Data || failure instanceof SluiceException.Table) {
      rollBack(session);
    } else {
      close();
    }
  }

  private ApplySession connected() {
    if (session == null) {
      TargetConnection connection = server.connect();
      begin(connection);
      LOG.info(
          "connected to the target as {}, PostgreSQL {}, replica role {}",
          server,
          connection.majorVersion(),
          connection.replicaRole() ? "on" : "not allowed");
    }
    return session;
  }

  private void begin(TargetConnection connection) {
    open = connection;
    session = new ApplySession(connection);
    age.opened();
    catalog.forget();
    if (brokenOff) {
      close();
      throw new SluiceException.Retryable("the session on the target was broken off", null);
    }
  }
}
