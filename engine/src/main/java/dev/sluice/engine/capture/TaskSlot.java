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

/* A slot cannot carry a mark of its owner. So the target records the slot's name before the slot is
 * created. A slot that is not recorded there belongs to somebody else.
 */
/**
 * Creates, finds and drops the task's replication slot. A slot of the same name that is not the
 * task's own is never read, taken over or dropped. Owned by the daemon's main thread.
 */
public final class TaskSlot {
  private final TaskContext context;

  public TaskSlot(TaskContext context) {
    this.context = context;
  }

  /** The problem that the existing slot is not this task's; empty if it is, or if there is none. */
  public Optional<Problem> problem() {
    Optional<String> own = context.ownership().look().flatMap(TaskIdentity::slot);
    String name = context.config().source().slotName();
    if (own.isPresent() && !own.get().equals(name)) {
      return Optional.of(
          new Problem(
              "source.slot-name",
              name,
              own.get() + ", the slot of this task, which holds the source's log for it",
              "Set source.slot-name: " + own.get()));
    }
    Optional<FoundRetention> found = context.source().retention().found();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    FoundRetention slot = found.get();
    if (slot.isForeignTo(context.ownership().mark())) {
      return Optional.of(slot.leftAlone());
    }
    boolean loads = context.config().migrationType().loads();
    if (own.isPresent()) {
      return Optional.empty();
    }
    return context.config().source().takeSlot() && !loads
        ? problemOfTaking(slot)
        : Optional.of(unknown(slot, loads));
  }

  /** A slot never sends changes of tables that were not published when the change was written. */
  private Optional<Problem> problemOfTaking(FoundRetention slot) {
    String publication = context.config().source().publicationName();
    return context.source().capturedTables().exists()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "publication " + publication,
                "it does not exist, so slot "
                    + slot.name()
                    + " does not have the changes since it was created",
                "a publication that was created before the slot (source.take-slot)",
                "Create the publication first, then the slot; or remove source.take-slot and name"
                    + " a slot that the task creates itself"));
  }

  private static Problem unknown(FoundRetention slot, boolean loads) {
    return new Problem(
        "replication slot " + slot.name(),
        "it exists, and the target has no record that this task created it: it is " + slot,
        "a slot that this task creates itself",
        "Leave that slot alone, and name another slot for this task: source.slot-name. "
            + (loads
                ? "Only if no other task or program will ever read from it again, drop it by hand:"
                    + " SELECT pg_drop_replication_slot('"
                    + slot.name()
                    + "')"
                : "If it was created for this task, set source.take-slot: true"));
  }

  /** Takes the existing slot for a task without a load; empty if it must be created. */
  Optional<LogRetention> take(Checkpoint claimed) {
    require();
    LogRetention slot = context.source().retention();
    if (slot.state().isEmpty()) {
      return Optional.empty();
    }
    context.identities().slot(claimed, Optional.of(slot.name()));
    slot.release();
    return Optional.of(slot);
  }

  /**
   * Creates the slot; drops the one that the task may have.
   *
   * @throws SluiceException.Fatal if a slot exists that is not the task's own
   */
  public SourceSnapshot make(Checkpoint claimed, Duration timeout) {
    require();
    LogRetention slot = context.source().retention();
    slot.drop();
    context.identities().slot(claimed, Optional.of(slot.name()));
    try {
      return slot.create(timeout);
    } catch (SluiceException e) {
      if (slot.isAnothers(e)) {
        context.identities().slot(claimed, Optional.empty());
      }
      throw e;
    }
  }

  /** Drops the task's slot and its record. Returns whether there was one. */
  public boolean drop(Checkpoint claimed) {
    boolean dropped = drop();
    context.identities().slot(claimed, Optional.empty());
    return dropped;
  }

  /** Drops the slot of a task that is being removed with its records. */
  public boolean drop() {
    Optional<String> own = context.ownership().look().flatMap(TaskIdentity::slot);
    return own.isPresent() && context.source().retention(own.get()).drop();
  }

  private void require() {
    Optional<Problem> problem = problem();
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
  }
}
