package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes steps of a table's completion, one after the other over one connection, each in one
 * transaction together with the note that it is done. Owned by the thread that makes them; only
 * {@link #abort} may be called from any other.
 */
public final class StepMaker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StepMaker.class);

  /** For an ANALYZE: after everything else that a table needs. */
  private static final int LAST_PLACE = Integer.MAX_VALUE;

  private final TargetConnection connection;
  private final CompletionStepStore journal;

  private StepMaker(TargetConnection connection, CompletionStepStore journal) {
    this.connection = connection;
    this.journal = journal;
  }

  /**
   * How a step ended.
   *
   * @param detail why it failed or was left out; else empty
   */
  public record Made(State state, String detail, Instant started, Instant ended) {}

  /**
   * @param memory that one index may be sorted in
   */
  public static StepMaker open(TargetServer server, CompletionStepStore journal, DataSize memory) {
    TargetConnection connection = server.connect();
    try {
      connection.execute("SET maintenance_work_mem = '" + memory.bytes() / 1024 + "kB'");
      // A foreign key is validated by a join of two whole tables.
      connection.execute("SET enable_hashjoin = on");
      // Bodies are as they were on the source, and may name what is not on the target.
      connection.execute("SET check_function_bodies = off");
      connection.jdbc().commit();
      noticeLostClient(connection);
      return new StepMaker(connection, journal);
    } catch (SQLException e) {
      connection.close();
      throw TargetErrors.classify("prepare a session for " + server, e);
    }
  }

  /** What gathers a table's statistics, without which the first statements on it get bad plans. */
  public static CompletionStep analysis(TableId table) {
    return CompletionStep.of(
        table,
        Stage.TABLE,
        LAST_PLACE,
        Kind.ANALYZE,
        table.toString(),
        List.of(DefinitionStatement.always("statistics of " + table, "ANALYZE " + table.quoted())));
  }

  /**
   * Makes a step, unless it was made already.
   *
   * @throws SluiceException.Retryable where the target is away
   */
  public Made make(StoredStep planned) {
    Instant started = Instant.now();
    try {
      return inTransaction(planned, started);
    } catch (SQLException e) {
      connection.rollback();
      SluiceException failure = TargetErrors.classify("make " + planned.thing(), e);
      if (failure instanceof SluiceException.Retryable) {
        throw failure;
      }
      Made failed = new Made(State.FAILED, failure.getMessage(), started, Instant.now());
      note(planned, failed);
      return failed;
    }
  }

  /** Breaks off whatever the owner waits for; it gets an exception. From any thread. */
  public void abort() {
    connection.abort();
  }

  /** Idempotent; what was not committed is gone. */
  @Override
  public void close() {
    connection.close();
  }

  private Made inTransaction(StoredStep planned, Instant started) throws SQLException {
    CompletionStep step = planned.step();
    connection.execute("SET LOCAL synchronous_commit = on");
    if (!journal.hold(connection, planned)) {
      connection.rollback();
      return new Made(State.DONE, "", started, Instant.now());
    }
    State state = State.DONE;
    String detail = "";
    if (step.references().isPresent() && !isThere(step.references().get())) {
      state = State.LEFT_OUT;
      detail = "the target has no table " + step.references().get();
    } else {
      for (DefinitionStatement statement : step.statements()) {
        DefinitionRun.makeUnlessThere(connection, statement);
      }
    }
    Made made = new Made(state, detail, started, Instant.now());
    journal.note(connection, planned.number(), state, detail, started, made.ended());
    connection.jdbc().commit();
    return made;
  }

  private boolean isThere(TableId table) throws SQLException {
    return connection.exists(
        "SELECT 1 WHERE pg_catalog.to_regclass('%s') IS NOT NULL"
            .formatted(table.quoted().replace("'", "''")));
  }

  private void note(StoredStep planned, Made failed) {
    try {
      journal.note(
          connection,
          planned.number(),
          failed.state(),
          failed.detail(),
          failed.started(),
          failed.ended());
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify("note that " + planned.thing() + " failed", e);
    }
  }

  /**
   * So that an index is not built to its end for a daemon that was killed; servers on some systems
   * cannot.
   */
  private static void noticeLostClient(TargetConnection connection) throws SQLException {
    try {
      connection.execute("SET client_connection_check_interval = '2s'");
      connection.jdbc().commit();
    } catch (SQLException e) {
      connection.rollback();
      LOG.debug("the target does not look for lost clients: {}", e.getMessage());
    }
  }
}
