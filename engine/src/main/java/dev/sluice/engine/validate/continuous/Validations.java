package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.engine.context.ComparisonTotals;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.validate.followed.FollowedCoverage;
import dev.sluice.engine.validate.followed.LaneStarts;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.RereadStore;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.touched.TouchedKeys;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The validation of one replication: it runs all the time if EnableValidation is set, otherwise
 * only while a command needs it. The lanes report their changes to it. Threadsafe.
 */
public final class Validations implements ChangeObserver.Factory, AutoCloseable {
  private final TaskContext context;
  private final Checkpoint claimed;
  private final Clock clock;
  private final boolean always;
  private final Optional<ResyncPasses> resync;
  private final TouchedRecord recorded;
  private final LaneStarts starts;
  private final RepairGate gate;

  // Under this object's lock.
  private TouchedKeys touched;
  private Applied applied;
  private ContinuousValidation running;
  private Optional<FollowedCoverage> followed = Optional.empty();
  private int users;
  private boolean closed;

  /** Read without the lock, which is held while a run ends: the status must not wait for that. */
  private volatile Supplier<ComparisonTotals> compared = () -> ComparisonTotals.NONE;

  /**
   * Created after the checkpoint was claimed, and before a lane starts.
   *
   * @param starts from where the lanes apply changes
   * @param resync the resync of the task; while it runs, differences are repaired
   */
  public Validations(
      TaskContext context, Checkpoint claimed, LaneStarts starts, TaskResync resync, Clock clock) {
    this.starts = starts;
    this.context = context;
    this.claimed = claimed;
    this.clock = clock;
    this.gate = new RepairGate(context);
    this.recorded = new TouchedRecord(() -> context.source().log().takeTransactionId());
    this.resync =
        resync.isRunning() ? Optional.of(new ResyncPasses(resync.deleteExtra())) : Optional.empty();
    this.always =
        resync.isRunning()
            || context.config().taskSettings().get(ValidationSettings.ENABLE_VALIDATION);
    if (always) {
      touched = recorded.begin();
    }
  }

  /** Work of the validation. */
  private interface Use<T> {
    T with(ContinuousValidation validation) throws InterruptedException;
  }

  @Override
  public ChangeObserver of(TransactionEnd end) {
    return recorded.of(end);
  }

  /**
   * Called when the lanes run.
   *
   * @param journal reads the journal again, with the schemas of the lanes
   */
  public synchronized void begin(Applied lanes, ChangeReplay journal) {
    applied = lanes;
    if (always) {
      if (resync.isEmpty()) {
        followed =
            Optional.of(
                new FollowedCoverage(
                    new RereadStore(context.target(), context.controlSchema(), context.task()),
                    claimed,
                    starts,
                    touched,
                    lanes::reached,
                    journal));
      }
      running = start(false);
    }
  }

  /**
   * The number of the newest rejected change before a resync has proven every table equal; empty
   * until then, and without a resync.
   */
  public OptionalLong resyncedWith() {
    return resync.map(ResyncPasses::provenWith).orElse(OptionalLong.empty());
  }

  /** Notes that the rows of a table are loaded again, so that earlier reads are void. */
  public synchronized void rowsReplaced(TableId table) {
    if (running != null) {
      running.rowsReplaced(table);
    }
  }

  /**
   * The journal offset from which the next start reads keys again; empty if it reads none. Applied
   * records after it are to be kept, as long as there is room for them.
   */
  public synchronized OptionalLong neededOffset() {
    return followed.map(FollowedCoverage::neededOffset).orElse(OptionalLong.empty());
  }

  /** Gives up records that a start would read again, since the journal has no room for them. */
  public synchronized void giveWay() {
    followed.ifPresent(FollowedCoverage::giveWay);
  }

  /** The totals of all runs. */
  public ComparisonTotals compared() {
    return compared.get();
  }

  private static ComparisonTotals compared(ContinuousValidation validation) {
    ValidationProgress progress = validation.progress();
    return new ComparisonTotals(progress.sessions(), progress.rows() + progress.keys());
  }

  /** Empty while nothing validates. */
  public synchronized Optional<ValidationProgress> progress() {
    return Optional.ofNullable(running).map(ContinuousValidation::progress);
  }

  /**
   * Compares only changed rows, without pauses, until the result is closed; empty if the validation
   * does not run all the time.
   */
  public synchronized Optional<TouchedRounds> compareTouched() {
    return closed || !always
        ? Optional.empty()
        : Optional.ofNullable(running).map(ContinuousValidation::touchedRounds);
  }

  /**
   * Stops repairs and new passes until the result is closed; waits for the repair in flight.
   * Refuses waiting and new requests.
   *
   * @return empty if that repair does not end in time; then nothing is stopped
   */
  public Optional<RepairPause> pauseRepairs(Duration timeout) throws InterruptedException {
    return gate.close(timeout) ? Optional.of(new RepairPause(gate)) : Optional.empty();
  }

  /**
   * Reads tables once; waits for the result.
   *
   * @param only the tables; empty: all
   * @param record the file for the record of the pass; empty without one
   * @throws SluiceException if the replication ends meanwhile, or a table is not replicated
   */
  public PassResult pass(List<TableId> only, Optional<Path> record) throws InterruptedException {
    return use(validation -> validation.pass(PassScope.reading(only), record));
  }

  /**
   * Reads tables once and repairs what differs; waits until each row is proven equal, or cannot be.
   * Forgets which earlier changes of an equal table were rejected: the target lacks none of them.
   *
   * @param only the tables
   * @param deleteExtra whether rows that only the target has are deleted
   */
  public PassResult resync(List<TableId> only, boolean deleteExtra) throws InterruptedException {
    PassScope scope =
        new PassScope(
            Set.copyOf(only),
            deleteExtra ? RepairPolicy.REPAIR_AND_DELETE_EXTRA : RepairPolicy.REPAIR);
    RejectedBefore rejected = RejectedBefore.of(context, only);
    PassResult result = use(validation -> validation.pass(scope, Optional.empty()));
    rejected.forget(claimed, result.equal());
    return result;
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
    gate.requireOpen();
    if (running == null) {
      touched = recorded.begin();
      running = start(true);
    }
    users++;
    return running;
  }

  /**
   * @param onDemand whether sessions run only during passes
   */
  private ContinuousValidation start(boolean onDemand) {
    ContinuousValidation validation =
        new ContinuousValidation(context, claimed, touched, applied, gate, clock);
    validation.recordedFrom(starts.highest());
    followed.ifPresent(validation::remember);
    if (onDemand) {
      validation.onlyOnDemand();
    }
    resync.ifPresent(validation::resync);
    ComparisonTotals before = compared.get();
    compared = () -> before.plus(compared(validation));
    validation.start();
    return validation;
  }

  private synchronized void ended() {
    users--;
    if (users == 0 && !always && running != null) {
      running.close();
      ComparisonTotals all = compared.get();
      compared = () -> all;
      running = null;
      recorded.end();
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
