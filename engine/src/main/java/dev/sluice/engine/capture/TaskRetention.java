package dev.sluice.engine.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskIdentity;
import java.time.Duration;
import java.util.Optional;

/*
 * A log retention, such as a replication slot, may be unable to carry a mark of its owner. So its
 * name is recorded on the target before it is created. One that is not recorded there belongs to
 * somebody else.
 */
/**
 * Creates, finds and drops what keeps the source's log for the task. One of the same name that is
 * not the task's own is never read, taken over or dropped. Owned by the daemon's main thread.
 */
public final class TaskRetention {
  private final TaskContext context;

  public TaskRetention(TaskContext context) {
    this.context = context;
  }

  /**
   * The problem that what keeps the log is not this task's; empty if it is, or if there is none.
   */
  public Optional<Problem> problem() {
    Optional<String> own = context.ownership().read().flatMap(TaskIdentity::retention);
    LogRetention named = context.source().retention();
    if (own.isPresent() && !own.get().equals(named.name())) {
      return Optional.of(named.namedOtherThan(own.get()));
    }
    Optional<FoundRetention> found = named.found();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    FoundRetention kept = found.get();
    if (kept.isForeignTo(context.ownership().mark())) {
      return Optional.of(kept.leftAlone());
    }
    boolean loads = context.config().migrationType().loads();
    if (own.isPresent()) {
      return Optional.empty();
    }
    return context.source().takesKeptLog() && !loads
        ? problemOfTaking(kept)
        : Optional.of(kept.notRecorded(loads));
  }

  /** The problem that tables were not captured when the log was written: it lacks their changes. */
  private Optional<Problem> problemOfTaking(FoundRetention kept) {
    return ofAnotherTask(kept)
        .or(
            () ->
                context.source().capturedTables().exists()
                    ? Optional.empty()
                    : Optional.of(context.source().capturedTables().missingFor(kept)));
  }

  /** Known only from this target: on the source, a task that does not run shows nothing. */
  private Optional<Problem> ofAnotherTask(FoundRetention kept) {
    return context.identities().keepers(kept.name()).stream()
        .filter(other -> !other.task().equals(context.task()))
        .filter(
            other ->
                context
                    .source()
                    .identityAs(other.sourceSystem())
                    .system()
                    .equals(other.sourceSystem()))
        .findFirst()
        .map(
            other ->
                new Problem(
                    context.source().retention().shown(),
                    "task %s with this target has recorded it as its own".formatted(other.task()),
                    "one that was made for this task alone",
                    "If this is a copy of that task's file, run that task. Else make another one"
                        + " for this task, and name it"));
  }

  /**
   * Takes over an existing log retention, for a task without a load; empty if there is none. The
   * caller records it as the task's own only when the start can no longer be refused because of it:
   * a removal of the task drops what is recorded.
   */
  Optional<LogRetention> take() {
    require();
    LogRetention retention = context.source().retention();
    if (!retention.take()) {
      return Optional.empty();
    }
    retention.release();
    return Optional.of(retention);
  }

  /** Records that what keeps the log is the task's own from now on. */
  void own(Checkpoint claimed) {
    context.identities().retention(claimed, Optional.of(context.source().retention().name()));
  }

  /**
   * Records the same together with the checkpoint of the start. A task without a position has not
   * begun, and until then a retention that somebody else created stays theirs.
   */
  void ownFrom(Checkpoint begin) {
    context.identities().retentionWith(begin, context.source().retention().name());
  }

  /**
   * Begins to keep the log; ends what the task may have kept.
   *
   * @throws SluiceException.Fatal if something of that name exists that is not the task's own
   */
  public SourceSnapshot make(Checkpoint claimed, Duration timeout) {
    require();
    LogRetention retention = context.source().retention();
    retention.drop(() -> requireNewest(claimed));
    context.identities().retention(claimed, Optional.of(retention.name()));
    try {
      return retention.create(timeout);
    } catch (SluiceException e) {
      if (retention.isAnothers(e)) {
        context.identities().retention(claimed, Optional.empty());
      }
      throw e;
    }
  }

  /**
   * Stops keeping the log, and deletes the record. Returns whether it was kept.
   *
   * @throws SluiceException.Fenced if a later daemon has claimed the task; it is still kept then
   */
  public boolean drop(Checkpoint claimed) {
    boolean dropped = drop(() -> requireNewest(claimed));
    context.identities().retention(claimed, Optional.empty());
    return dropped;
  }

  /** Stops keeping the log of a task that is being removed with its records. */
  public boolean drop() {
    return drop(() -> {});
  }

  private boolean drop(Runnable fence) {
    Optional<String> own = context.ownership().read().flatMap(TaskIdentity::retention);
    return own.isPresent() && context.source().retention(own.get()).drop(fence);
  }

  /**
   * @throws SluiceException.Fenced if a later daemon has claimed the task
   */
  private void requireNewest(Checkpoint claimed) {
    context.checkpoints().change(claimed, "prepare to drop what keeps the log", connection -> {});
  }

  private void require() {
    Optional<Problem> problem = problem();
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
  }
}
