package dev.sluice.connector.postgres.ddl;

import dev.sluice.connector.postgres.server.LockAttempts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes a task from the event triggers, and the triggers with their schema if it was the last
 * task. In two transactions: the schema is dropped only when no new statement can fire the
 * triggers, so that none finds a part missing or waits. Used by one thread, once.
 */
final class TriggerRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(TriggerRemoval.class);

  /** Does not block readers and writers of the tables; needs the right to write to this one. */
  static final String HOLD_OTHERS = "LOCK TABLE sluice_ddl.task IN SHARE UPDATE EXCLUSIVE MODE";

  private static final String REMOVE_TRIGGERS =
      """
      DROP EVENT TRIGGER IF EXISTS sluice_ddl_end;
      DROP EVENT TRIGGER IF EXISTS sluice_ddl_drop;
      DROP EVENT TRIGGER IF EXISTS sluice_ddl_rewrite;
      """;

  /** Short: an application that queues behind this lock request must not notice. */
  private static final String BE_BRIEF =
      "SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = 0";

  private static final String REMOVE_REST =
      "DROP PUBLICATION IF EXISTS sluice_ddl; DROP SCHEMA sluice_ddl CASCADE";

  /** True if no task has installed them or registered again since the triggers were removed. */
  private static final String UNUSED =
      """
      SELECT NOT EXISTS (SELECT FROM sluice_ddl.task)
         AND NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger t
           WHERE t.evtname IN ('sluice_ddl_end', 'sluice_ddl_drop', 'sluice_ddl_rewrite'))
      """;

  private static final Set<String> IN_USE = Set.of("55P03", "40P01");
  private static final int REMOVE_TRIES = 60;

  /** Another task has removed them meanwhile. */
  private static final String GONE = "42P01";

  private final Connection connection;
  private final LockAttempts locks;
  private final Unregistration unregistration;
  private boolean wasKnown;

  /**
   * @param connection without auto-commit
   * @param unregistration deletes the task's registration
   */
  TriggerRemoval(Connection connection, LockAttempts locks, Unregistration unregistration) {
    this.connection = connection;
    this.locks = locks;
    this.unregistration = unregistration;
  }

  /** Deletes a task's registration; returns whether it was registered. */
  interface Unregistration {
    boolean run(Connection connection) throws SQLException;
  }

  /** Removes the task; returns whether it was registered. */
  boolean run() throws SQLException {
    AtomicBoolean last = new AtomicBoolean();
    try {
      locks.run(
          "removing the event triggers for DDL", connection, () -> last.set(removeTriggers()));
      if (last.get()) {
        removeRest();
      }
    } catch (SQLException e) {
      if (!GONE.equals(e.getSQLState())) {
        throw e;
      }
      connection.rollback();
    }
    return wasKnown;
  }

  /** Returns whether the task was the last one, so that the schema can be dropped, too. */
  private boolean removeTriggers() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean last = false;
      if (isThere(statement)) {
        statement.execute(HOLD_OTHERS);
        wasKnown = unregistration.run(connection);
        last = asks(statement, "SELECT NOT EXISTS (SELECT FROM sluice_ddl.task)");
        if (last) {
          statement.execute(REMOVE_TRIGGERS);
        }
      }
      connection.commit();
      return last;
    }
  }

  /**
   * Drops the schema, in short attempts until the transactions that fired the triggers have ended.
   */
  private void removeRest() throws SQLException {
    for (int attempt = 1; attempt <= REMOVE_TRIES; attempt++) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(BE_BRIEF);
        if (isThere(statement)) {
          statement.execute(HOLD_OTHERS);
          if (asks(statement, UNUSED)) {
            statement.execute(REMOVE_REST);
            LOG.info("event triggers removed from the source");
          }
        }
        connection.commit();
        return;
      } catch (SQLException e) {
        connection.rollback();
        if (!IN_USE.contains(e.getSQLState())) {
          throw e;
        }
        LOG.info(
            "schema sluice_ddl of the source is in use by an open transaction, attempt {} of {}",
            attempt,
            REMOVE_TRIES);
      }
    }
    LOG.warn(
        "the event triggers are removed from the source, schema sluice_ddl is not: a transaction"
            + " that altered tables is still open. When it has ended, run sluice stop --drop again:"
            + " it removes the schema if no other task uses it by then");
  }

  /** Whether there is a schema to remove. */
  static boolean isThere(Statement statement) throws SQLException {
    return asks(statement, "SELECT pg_catalog.to_regclass('sluice_ddl.task') IS NOT NULL");
  }

  private static boolean asks(Statement statement, String question) throws SQLException {
    try (ResultSet answer = statement.executeQuery(question)) {
      answer.next();
      return answer.getBoolean(1);
    }
  }
}
