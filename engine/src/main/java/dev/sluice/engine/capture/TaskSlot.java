package dev.sluice.engine.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.connector.postgres.slot.FoundSlot;
import dev.sluice.connector.postgres.slot.ReplicationSlot;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskIdentity;
import java.time.Duration;
import java.util.Optional;

/*
 * A slot has no place for a mark. So the target remembers, before a slot is made, that the task has
 * one of that name; and a slot of which it does not remember that is somebody else's.
 */
/**
 * The task's replication slot as a thing that is the task's own: another one of its name is neither
 * read, taken over nor dropped. Owned by the daemon's main thread.
 */
public final class TaskSlot {
  private final TaskContext parts;

  public TaskSlot(TaskContext parts) {
    this.parts = parts;
  }

  /** Why the slot that is there is not this task's; empty where it is, and where there is none. */
  public Optional<Problem> problem() {
    Optional<String> own = parts.ownership().look().flatMap(TaskIdentity::slot);
    String name = parts.config().source().slotName();
    if (own.isPresent() && !own.get().equals(name)) {
      return Optional.of(
          new Problem(
              "source.slot-name",
              name,
              own.get() + ", the slot that this task has, from which on it knows the source's log",
              "Write source.slot-name: " + own.get()));
    }
    Optional<FoundSlot> found = parts.source().slot().found();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    FoundSlot slot = found.get();
    if (slot.isForeignTo(parts.ownership().mark())) {
      return Optional.of(slot.leftAlone());
    }
    boolean loads = parts.config().migrationType().loads();
    if (own.isPresent()) {
      return Optional.empty();
    }
    return parts.config().source().takeSlot() && !loads
        ? problemOfTaking(slot)
        : Optional.of(unknown(slot, loads));
  }

  /** What was not published when it was written never comes out of the slot. */
  private Optional<Problem> problemOfTaking(FoundSlot slot) {
    String publication = parts.config().source().publicationName();
    return parts.source().publication().exists()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "publication " + publication,
                "it does not exist, so slot "
                    + slot.name()
                    + " does not give the changes since it was made",
                "a publication that was there before the slot (source.take-slot)",
                "Make the publication first, then the slot; or leave out source.take-slot and name"
                    + " a slot that the task makes itself"));
  }

  private static Problem unknown(FoundSlot slot, boolean loads) {
    return new Problem(
        "replication slot " + slot.name(),
        "it is there, and the target does not know that this task made it: it is " + slot,
        "a slot that this task makes itself",
        "Leave that slot alone, and name another one for this task: source.slot-name. "
            + (loads
                ? "Where no other task or program will ever read from it again, drop it by hand:"
                    + " SELECT pg_drop_replication_slot('"
                    + slot.name()
                    + "')"
                : "Where it was made for this task, write source.take-slot: true"));
  }

  /** The slot of a task that begins to follow; empty where it is to be made. */
  Optional<ReplicationSlot> take(Checkpoint claimed) {
    require();
    ReplicationSlot slot = parts.source().slot();
    if (slot.state().isEmpty()) {
      return Optional.empty();
    }
    parts.identities().slot(claimed, Optional.of(slot.name()));
    slot.release();
    return Optional.of(slot);
  }

  /**
   * Makes a new one in the place of the one that the task may have.
   *
   * @throws SluiceException.Fatal where there is one that is not the task's own
   */
  public ExportedSnapshot make(Checkpoint claimed, Duration timeout) {
    require();
    ReplicationSlot slot = parts.source().slot();
    slot.drop();
    parts.identities().slot(claimed, Optional.of(slot.name()));
    try {
      return slot.create(timeout);
    } catch (SluiceException e) {
      if (ReplicationSlot.isAnothers(e)) {
        parts.identities().slot(claimed, Optional.empty());
      }
      throw e;
    }
  }

  /** Drops the one that the task has; says whether there was one. */
  public boolean drop(Checkpoint claimed) {
    boolean dropped = drop();
    parts.identities().slot(claimed, Optional.empty());
    return dropped;
  }

  /** The same of a task that goes altogether. */
  public boolean drop() {
    Optional<String> own = parts.ownership().look().flatMap(TaskIdentity::slot);
    return own.isPresent() && parts.source().slot(own.get()).drop();
  }

  private void require() {
    Optional<Problem> problem = problem();
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
  }
}
