package dev.sluice.engine.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.slot.SlotState;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.control.task.TaskIdentity;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a daemon may take a task up at its place, looked at before anything of the task is
 * touched: with another data directory, which a copied task file easily has, the journal may be
 * elsewhere, and a daemon that works there would be ended for nothing. Owned by the daemon's main
 * thread.
 */
public final class DaemonLocation {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonLocation.class);

  /** For how long a daemon's session on the target may outlast it. */
  public static final Duration SESSION_END = Duration.ofSeconds(10);

  private final TaskContext parts;
  private final Supplier<Optional<String>> journal;

  /**
   * @param journal the id of the journal's topic here; empty where there is none
   */
  public DaemonLocation(TaskContext parts, Supplier<Optional<String>> journal) {
    this.parts = parts;
    this.journal = journal;
  }

  /**
   * @param checkpoint as it stands; empty where the task was never begun
   * @param presence shown from here on, where the task is begun or may be
   * @throws SluiceException.Fatal where the task must not be taken up here
   * @throws SluiceException.Retryable where another daemon lives at a place of the same names
   */
  public void require(StartPlan plan, Optional<Checkpoint> checkpoint, DaemonPresence presence) {
    boolean tookPart = presence.wasShown();
    boolean alone = presence.show();
    Optional<TaskIdentity> begun = parts.ownership().look();
    if (!alone
        && !tookPart
        && parts.config().kafka().isEmpty()
        && begun.filter(this::isHere).isPresent()) {
      alone = presence.show(SESSION_END);
      if (!alone) {
        throw new SluiceException.Retryable(runsAtACopy(begun.get()).toString(), null);
      }
    }
    Optional<Problem> problem = problem(plan, checkpoint, alone);
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
    if (begun.isPresent() && isJournalMissing(plan, checkpoint)) {
      LOG.warn(
          "the journal of task {} is not here; it was that of {} on {}. The source's log still has"
              + " all that the target lacks, so the task goes on without it",
          parts.task(),
          begun.get().dataDirectory(),
          begun.get().host());
    }
  }

  /**
   * Why the task must not be taken up here. Changes nothing.
   *
   * @param alone whether no other daemon of it lives
   */
  public Optional<Problem> problem(StartPlan plan, Optional<Checkpoint> checkpoint, boolean alone) {
    Optional<TaskIdentity> begun = parts.ownership().look();
    if (begun.isEmpty()) {
      return Optional.empty();
    }
    if (!alone && parts.config().kafka().isEmpty() && !isHere(begun.get())) {
      return Optional.of(runsThere(begun.get()));
    }
    return isJournalMissing(plan, checkpoint) && (!alone || !isDispensable(plan, checkpoint.get()))
        ? Optional.of(journalElsewhere(begun.get(), alone))
        : Optional.empty();
  }

  private boolean isJournalMissing(StartPlan plan, Optional<Checkpoint> checkpoint) {
    return parts.config().migrationType().captures()
        && plan != StartPlan.CUT_OVER
        && checkpoint.flatMap(Checkpoint::journalTopicId).isPresent()
        && !journal.get().equals(checkpoint.get().journalTopicId());
  }

  private boolean isHere(TaskIdentity begun) {
    return begun.host().equals(HostName.text())
        && begun.dataDirectory().equals(parts.ownership().directory());
  }

  /** What is loaded from the beginning needs none; nor does what the slot still gives. */
  private boolean isDispensable(StartPlan plan, Checkpoint checkpoint) {
    if (plan == StartPlan.LOAD) {
      return true;
    }
    Optional<SlotState> slot = parts.source().slot().state();
    Position applied = LaneLayout.lowest(parts, checkpoint).position();
    return slot.isPresent()
        && !slot.get().lost()
        && slot.get().activePid().isEmpty()
        && !slot.get().confirmed().isAfter(applied);
  }

  private Problem runsThere(TaskIdentity begun) {
    return new Problem(
        "task " + parts.task(),
        "a daemon of it runs already, on host %s with data-dir %s"
            .formatted(begun.host(), begun.dataDirectory()),
        "one daemon, with the data-dir that has the journal",
        "Let that one run, or end it by sluice stop and run the task with its data-dir. For another"
            + " task, write another name: task. Where that host is gone, its session on the target"
            + " ends by itself after about a minute");
  }

  /** This daemon has the lock of the directory, so the other one has another of that name. */
  private Problem runsAtACopy(TaskIdentity begun) {
    return new Problem(
        "task " + parts.task(),
        "a daemon of it runs already, on a host that is also called %s, in another directory that is also %s; or it has just vanished with its host"
            .formatted(begun.host(), begun.dataDirectory()),
        "one daemon, with the data-dir that has the journal",
        "Where this is a copy (of a machine, a container or a data-dir), end this one and leave the"
            + " other alone. Where that one has vanished, its session on the target ends by itself"
            + " after about a minute, and this one then goes on");
  }

  private Problem journalElsewhere(TaskIdentity begun, boolean alone) {
    String here =
        parts
            .config()
            .kafka()
            .map(kafka -> "Kafka at " + kafka.bootstrapServers())
            .orElse("data-dir " + parts.ownership().directory());
    return new Problem(
        here,
        "the journal of task %s is not there, and has changes that the target lacks"
            .formatted(parts.task()),
        "the journal with which the task was run last, on host %s with data-dir %s%s"
            .formatted(
                begun.host(), begun.dataDirectory(), alone ? "" : "; a daemon runs there now"),
        "Run the task with that journal: there, or with that data-dir or Kafka moved here. Only"
            + " where it is lost for good, its changes must be loaded again: sluice stop --drop"
            + " forgets the task, and the next run loads its tables");
  }
}
