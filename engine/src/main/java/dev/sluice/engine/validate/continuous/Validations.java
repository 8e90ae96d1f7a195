package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.touched.TouchedKeys;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * The validation of one replication: it runs all the time if EnableValidation is set, else for as
 * long as a command needs it. The lanes report their changes to it. Threadsafe.
 */
public final class Validations implements ChangeObserver.Factory, AutoCloseable {
  private final TaskContext context;
  private final Checkpoint claimed;
  private final Clock clock;
  private final boolean always;

  /** Null while nobody validates. */
  private volatile TouchedKeys touched;

  // Under this object's lock.
  private ContinuousValidation.Applied applied;
  private ContinuousValidation running;
  private int users;
  private boolean closed;

  /** Made after the checkpoint was claimed, and before a lane starts. */
  public Validations(TaskContext context, Checkpoint claimed, Clock clock) {
    this.context = context;
    this.claimed = claimed;
    this.clock = clock;
    this.always = context.config().taskSettings().get(ValidationSettings.ENABLE_VALIDATION);
    if (always) {
      touched = ValidationStart.touchedKeys(context);
    }
  }

  /** Work of the validation. */
  private interface Use<T> {
    T with(ContinuousValidation validation) throws InterruptedException;
  }

  @Override
  public ChangeObserver of(TransactionEnd end) {
    TouchedKeys keys = touched;
    return keys == null ? ChangeObserver.NONE : keys.of(end);
  }

  /** Called when the lanes run. */
  public synchronized void begin(ContinuousValidation.Applied lanes) {
    applied = lanes;
    if (always) {
      running = ValidationStart.start(context, claimed, touched, applied, clock);
    }
  }

  /** Empty while nothing validates. */
  public synchronized Optional<ValidationProgress> progress() {
    return Optional.ofNullable(running).map(ContinuousValidation::progress);
  }

  /**
   * Reads every table once; waits for the result.
   *
   * @throws SluiceException if the replication ends meanwhile
   */
  public PassResult pass() throws InterruptedException {
    return use(ContinuousValidation::pass);
  }

  /**
   * Repairs listed rows; waits for it.
   *
   * @param only the tables; empty: all that have listed rows
   * @param deleteExtra whether rows that only the target has are deleted
   * @return a line for each table
   */
  public List<String> repair(List<TableId> only, boolean deleteExtra) throws InterruptedException {
    return use(validation -> validation.repair(only, deleteExtra));
  }

  private <T> T use(Use<T> work) throws InterruptedException {
    ContinuousValidation validation = begun();
    try {
      return work.with(validation);
    } finally {
      ended();
    }
  }

  private synchronized ContinuousValidation begun() {
    if (closed || applied == null) {
      throw new SluiceException.Retryable("the replication is ending", null);
    }
    users++;
    if (running == null) {
      // What is decoded from now on is recorded; what was before has ended on the source when a
      // snapshot counts.
      touched = ValidationStart.touchedKeys(context);
      running = ValidationStart.onDemand(context, claimed, touched, applied, clock);
    }
    return running;
  }

  private synchronized void ended() {
    users--;
    if (users == 0 && !always && running != null) {
      running.close();
      running = null;
      touched = null;
    }
  }

  @Override
  public void close() {
    ContinuousValidation ending;
    synchronized (this) {
      closed = true;
      ending = running;
    }
    if (ending != null) {
      ending.close();
    }
  }
}
