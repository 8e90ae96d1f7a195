package dev.sluice.target.db2.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.comparison.printed.TableReads;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/*
 * Uses cursor stability: a row is locked until the next one is read. So each row that is read is
 * committed, and an apply waits for a moment at most. In read stability all rows that were read
 * stay locked; in uncommitted read a row may be rolled back later.
 */
/** Reads each row as it is committed at that moment. Owned by one thread at a time. */
final class CommittedReads implements TableReads {
  /** How much longer than its life a read waits for a server that does not answer. */
  private static final Duration HANGS = Duration.ofSeconds(10);

  private final Connection session;
  private final TargetLogin login;
  private final TargetErrors errors;
  private final long deadline;

  private CommittedReads(
      Connection session, TargetLogin login, TargetErrors errors, Duration life) {
    this.session = session;
    this.login = login;
    this.errors = errors;
    this.deadline = System.nanoTime() + life.toNanos();
  }

  /**
   * @param life how long it may be used
   */
  static CommittedReads open(
      TargetSessions sessions, TargetLogin login, TargetErrors errors, Duration life) {
    try {
      Connection session = sessions.connect(login);
      try {
        session.setAutoCommit(false);
        session.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        session.setNetworkTimeout(Runnable::run, Math.toIntExact(life.plus(HANGS).toMillis()));
        return new CommittedReads(session, login, errors, life);
      } catch (SQLException e) {
        session.close();
        throw e;
      }
    } catch (SQLException e) {
      throw errors.classify("open a session for a comparison on target " + login, e);
    }
  }

  boolean isOver() {
    return deadline - System.nanoTime() <= 0;
  }

  /** Reads something other than a table of the task. */
  <T> T read(String what, Work<T> work) {
    try {
      return committed(work);
    } catch (SQLException e) {
      throw errors.classify("read %s on target %s".formatted(what, login), e);
    }
  }

  @Override
  public <T> T read(TableId table, Work<T> work) {
    if (isOver()) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the time for reading target %s is over".formatted(login), null);
    }
    try {
      return committed(work);
    } catch (SQLException e) {
      throw failed("table %s of target %s".formatted(table, login), e);
    }
  }

  /** Ends the transaction after each read, so no lock remains. */
  private <T> T committed(Work<T> work) throws SQLException {
    try {
      Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
      session.unwrap(Db2Session.class).limitStatements(left);
      return work.run(session);
    } finally {
      session.rollback();
    }
  }

  private RuntimeException failed(String where, SQLException error) {
    if (isOver()) {
      return new NotReadable(Reason.OUT_OF_TIME, where + ": not read in time", error);
    }
    TargetFault fault = errors.faultOf(error);
    return switch (fault) {
      case TRANSACTION_CONFLICT ->
          new NotReadable(Reason.BLOCKED, where + ": others hold locks on its rows", error);
      case BAD_NAME ->
          new NotReadable(Reason.CHANGED, where + " was altered: " + errors.textOf(error), error);
      case MISSING_RIGHT ->
          new NotReadable(Reason.REFUSED, where + ": " + errors.textOf(error), error);
      default -> {
        SluiceException failure = errors.classify("compare " + where, error);
        yield failure instanceof SluiceException.Retryable
            ? failure
            : new NotReadable(Reason.FAILED, failure.getMessage(), error);
      }
    };
  }

  @Override
  public void close() {
    try {
      session.close();
    } catch (SQLException e) {
      // The session is broken, so its transaction has ended.
    }
  }
}
