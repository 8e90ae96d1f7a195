package dev.sluice.sink.apply;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.WindowCheckpoint;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.WindowApplier;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies windows over one connection, which it opens when it is needed and again after it broke.
 * Owned by the apply thread.
 *
 * <p>Each window is one transaction: the checkpoint row is locked, the rounds are applied, the
 * checkpoint is advanced. Whether a window is on the target is never remembered here but read from
 * that row, so that an unanswered COMMIT and a repeated call are the same case.
 */
public final class BatchApplier implements WindowApplier {
  private static final Logger LOG = LoggerFactory.getLogger(BatchApplier.class);

  private static final AppliedWindow NOTHING = new AppliedWindow(0, 0, Map.of());

  private TargetServer server;
  private final WindowCheckpoint checkpoint;
  private final UnaryOperator<TableId> targetOf;
  private final TargetCatalog catalog = new TargetCatalog();

  /** The last window that was seen on the target. */
  private Position applied;

  /** What the window did whose COMMIT was sent last. */
  private AppliedWindow committing = NOTHING;

  /** Null while there is no connection. */
  private ApplySession session;

  /**
   * @param controlSchema where the checkpoint is
   * @param claimed the checkpoint with the epoch that this task holds; what it says is on the
   *     target
   * @param targetOf the target table of a source table
   */
  public BatchApplier(
      TargetServer server,
      String controlSchema,
      Checkpoint claimed,
      UnaryOperator<TableId> targetOf) {
    this.server = server;
    this.checkpoint = new WindowCheckpoint(controlSchema, claimed);
    this.targetOf = targetOf;
    this.applied = claimed.position();
  }

  @Override
  public AppliedWindow apply(ClosedWindow window) {
    try {
      return attempt(window, false);
    } catch (SluiceException.Data e) {
      LOG.warn(
          "window up to {} does not fit, looking for the rows: {}",
          window.position(),
          e.getMessage());
      // The table may have been altered since its catalog entry was read.
      catalog.forget();
      return attempt(window, true);
    }
  }

  @Override
  public void makeDurable() {
    inTransaction(
        "make the checkpoint durable",
        current -> {
          lock(current);
          checkpoint.harden(current.connection());
          current.connection().jdbc().commit();
          return NOTHING;
        });
  }

  @Override
  public void close() {
    disconnect();
  }

  private AppliedWindow attempt(ClosedWindow window, boolean careful) {
    cacheStatements(window.tuning().statementCacheSize());
    return inTransaction(
        "apply the window up to " + window.position(),
        current -> {
          Position onTarget = lock(current);
          if (onTarget.compareTo(window.position()) >= 0) {
            LOG.info("window up to {} is on the target already", window.position());
            current.connection().rollback();
            current.staging().rolledBack();
            applied = onTarget;
            return committing;
          }
          committing = NOTHING;
          current.deferConstraints();
          AppliedWindow result =
              new WindowAttempt(current, catalog, targetOf, server.user(), careful).apply(window);
          current.checkConstraints();
          checkpoint.advance(
              current.connection(),
              window.position(),
              window.term(),
              window.transaction(),
              window.nextOffset());
          committing = result;
          current.connection().jdbc().commit();
          current.staging().committed();
          applied = window.position();
          return result;
        });
  }

  /**
   * Locks the checkpoint row and gives its position.
   *
   * @throws SluiceException.Rewound where the target has lost windows that were applied
   */
  private Position lock(ApplySession current) throws SQLException {
    Position onTarget = checkpoint.lock(current.connection()).position();
    if (applied.isAfter(onTarget)) {
      throw new SluiceException.Rewound(
          "the target has gone back: its checkpoint is at %s, but changes up to %s were applied; it has crashed or was restored"
              .formatted(onTarget, applied));
    }
    return onTarget;
  }

  /** What is done between the beginning and the commit of a transaction; it commits itself. */
  private interface Transaction {
    AppliedWindow run(ApplySession session) throws SQLException;
  }

  private AppliedWindow inTransaction(String attempted, Transaction transaction) {
    ApplySession current = connected();
    try {
      return transaction.run(current);
    } catch (SQLException e) {
      SluiceException failure = TargetErrors.classify(attempted, e);
      end(failure);
      throw failure;
    } catch (SluiceException e) {
      end(e);
      throw e;
    } catch (RuntimeException | Error e) {
      disconnect();
      throw e;
    }
  }

  /** After a failure: keeps the connection where it is sound. */
  private void end(SluiceException failure) {
    catalog.forget();
    if (failure instanceof SluiceException.Data) {
      session.connection().rollback();
      session.staging().rolledBack();
    } else {
      disconnect();
    }
  }

  private ApplySession connected() {
    if (session == null) {
      TargetConnection connection = server.connect();
      session = new ApplySession(connection);
      catalog.forget();
      LOG.info(
          "connected to the target as {}, PostgreSQL {}, replica role {}",
          server,
          connection.majorVersion(),
          connection.replicaRole() ? "on" : "not allowed");
    }
    return session;
  }

  /** A connection keeps the size that it was opened with, so another size takes another one. */
  private void cacheStatements(int size) {
    if (server.statementCacheSize() != size) {
      server = server.withStatementCacheSize(size);
      disconnect();
    }
  }

  private void disconnect() {
    if (session != null) {
      session.connection().close();
      session = null;
    }
  }
}
