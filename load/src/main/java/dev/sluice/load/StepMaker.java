package dev.sluice.load;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the completion steps of tables, one after another over one connection. Each step and its
 * entry in the {@link CompletionStepStore} are one transaction. Owned by the thread that runs the
 * steps; only {@link #abort} may be called from any other.
 */
public final class StepMaker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StepMaker.class);

  private static final String NOT_VALIDATED =
      "it holds for new rows; the server cannot validate it: ";

  private final TargetConnection connection;
  private final CompletionStepStore steps;
  private final CountDownLatch aborted = new CountDownLatch(1);

  private StepMaker(TargetConnection connection, CompletionStepStore steps) {
    this.connection = connection;
    this.steps = steps;
  }

  /**
   * The result of a step.
   *
   * @param detail why it failed or was skipped; otherwise empty
   */
  public record Made(State state, String detail, Instant started, Instant ended) {}

  /**
   * @param stage of the steps that it makes
   * @param memory memory for building one index
   */
  public static StepMaker open(
      TargetServer server, CompletionStepStore steps, Stage stage, DataSize memory) {
    TargetConnection connection = server.connect();
    try {
      RepeatedTransaction.run(connection.errors(), () -> set(connection, stage, memory));
      setOptionally(connection);
      return new StepMaker(connection, steps);
    } catch (SQLException e) {
      connection.close();
      throw connection.errors().classify("prepare a session for " + server, e);
    }
  }

  /**
   * Runs a step unless it is already done. If a constraint fails several times in a row without a
   * known reason, the step counts as failed and the others go on: applications may wait for them.
   * Any other step that fails so ends the attempt, and the task's next attempt begins with it.
   *
   * @throws SluiceException.Retryable if the target is not reachable, or fails at another step
   *     without a known reason, or {@link #abort} was called
   */
  public Made make(StoredStep planned) {
    Instant started = Instant.now();
    Retries retries = new Retries(RetryPolicy.FEW, new MonotonicClock());
    while (true) {
      try {
        return RepeatedTransaction.of(connection.errors(), () -> makeOnce(planned, started));
      } catch (SQLException e) {
        throw connection.errors().classify("make " + planned.thing(), e);
      } catch (SluiceException.Unexplained e) {
        if (planned.step().stage() != Stage.CONSTRAINTS) {
          throw e;
        }
        Optional<Duration> wait = retries.failed();
        if (wait.isEmpty()) {
          Made failed =
              new Made(
                  State.FAILED, givenUp(planned, retries.failures(), e), started, Instant.now());
          note(planned, failed);
          return failed;
        }
        LOG.warn("tried again in {} s: {}", wait.get().toMillis() / 1000.0, e.getMessage());
        if (!awaitNextTry(retries)) {
          throw e;
        }
      }
    }
  }

  /** Returns false if there is to be none, since {@link #abort} was called. */
  private boolean awaitNextTry(Retries retries) {
    try {
      return retries.await(time -> aborted.await(time.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String givenUp(StoredStep planned, int failures, SluiceException last) {
    return "given up after %d tries: %s. Run it by hand: %s"
        .formatted(failures, last.getMessage(), new StepStatements(planned.step()).byHand());
  }

  private Made makeOnce(StoredStep planned, Instant started) {
    try {
      return inTransaction(planned, started);
    } catch (SQLException e) {
      connection.rollback();
      if (isMade(planned)) {
        Made made = new Made(State.DONE, "", started, Instant.now());
        note(planned, made);
        return made;
      }
      SluiceException failure = connection.errors().classify("make " + planned.thing(), e);
      if (failure instanceof SluiceException.Retryable) {
        throw failure;
      }
      Made failed =
          isNotValidated(planned, e)
              ? new Made(
                  State.SKIPPED, NOT_VALIDATED + failure.getMessage(), started, Instant.now())
              : new Made(State.FAILED, failure.getMessage(), started, Instant.now());
      note(planned, failed);
      return failed;
    }
  }

  /** Whether the server has the constraint, and no statement that looks at the rows behind it. */
  private boolean isNotValidated(StoredStep planned, SQLException error) {
    return planned.step().kind() == Kind.VALIDATION
        && connection.errors().faultOf(error) == TargetFault.UNSUPPORTED;
  }

  /** Cancels what the owner waits for; the owner gets an exception. Called from any thread. */
  public void abort() {
    aborted.countDown();
    connection.abort();
  }

  /** Closes the connection; an open step is rolled back. Idempotent. */
  @Override
  public void close() {
    connection.close();
  }

  /**
   * Where DDL is not part of a transaction, a server finishes a statement though its session is
   * lost. The next attempt waits for it, and then fails because the object exists.
   */
  private boolean isMade(StoredStep planned) {
    if (connection.dialect().ddl().isTransactional() || planned.step().statements().isEmpty()) {
      return false;
    }
    try {
      return new StepStatements(planned.step()).areMade(connection);
    } catch (SQLException e) {
      return false;
    } finally {
      connection.rollback();
    }
  }

  private Made inTransaction(StoredStep planned, Instant started) throws SQLException {
    CompletionStep step = planned.step();
    connection.commitDurably();
    if (!steps.hold(connection, planned)) {
      connection.rollback();
      return new Made(State.DONE, "", started, Instant.now());
    }
    State state = State.DONE;
    String detail = "";
    if (step.references().isPresent() && !isThere(step.references().get())) {
      state = State.SKIPPED;
      detail = "the target has no table " + step.references().get();
    } else {
      new StepStatements(step).run(connection);
      if (!connection.dialect().ddl().isTransactional()) {
        requireStillPlanned(planned);
      }
    }
    Made made = new Made(state, detail, started, Instant.now());
    steps.note(connection, planned.number(), state, detail, started, made.ended());
    connection.jdbc().commit();
    return made;
  }

  /**
   * The statements have ended the transaction that held the step. Meanwhile a successor may have
   * made the table again, and then planned the step again.
   */
  private void requireStillPlanned(StoredStep planned) throws SQLException {
    connection.commitDurably();
    boolean held =
        steps.hold(connection, planned)
            && new StepStatements(planned.step()).areStillMade(connection);
    if (!held) {
      connection.rollback();
      throw new SluiceException.Retryable(
          "%s was made, and another daemon has planned it again".formatted(planned.thing()), null);
    }
  }

  private boolean isThere(TableId table) throws SQLException {
    return connection.dialect().controlDefinitions().hasTable(connection.jdbc(), table);
  }

  private void note(StoredStep planned, Made failed) {
    try {
      steps.note(
          connection,
          planned.number(),
          failed.state(),
          failed.detail(),
          failed.started(),
          failed.ended());
      connection.jdbc().commit();
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("note that " + planned.thing() + " failed", e);
    }
  }

  private static void set(TargetConnection connection, Stage stage, DataSize memory)
      throws SQLException {
    connection.rollback();
    for (String setting : connection.dialect().load().completionSettings(stage, memory.bytes())) {
      connection.execute(setting);
    }
    connection.jdbc().commit();
  }

  private static void setOptionally(TargetConnection connection) throws SQLException {
    for (String setting : connection.dialect().load().optionalSettings()) {
      try {
        connection.execute(setting);
        connection.jdbc().commit();
      } catch (SQLException e) {
        connection.rollback();
        LOG.debug("not a setting of this target: {}: {}", setting, e.getMessage());
      }
    }
  }
}
