package dev.sluice.engine.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
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
 * Checks that the daemon runs where the task's journal is, before anything of the task is changed.
 * Owned by the daemon's main thread.
 *
 * <p>A copied task file easily names another data directory. Without this check, the daemon would
 * take the task from a working one, and then find no journal.
 */
public final class DaemonLocation {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonLocation.class);

  /** How long a daemon's session on the target may outlast the daemon. */
  public static final Duration SESSION_END = Duration.ofSeconds(10);

  private final TaskContext context;
  private final Supplier<Optional<String>> journal;

  /**
   * @param journal the id of the journal's topic here; empty if there is none
   */
  public DaemonLocation(TaskContext context, Supplier<Optional<String>> journal) {
    this.context = context;
    this.journal = journal;
  }

  /**
   * Requires that this daemon may run the task here, and shows its presence on the target.
   *
   * @param checkpoint as stored on the target; empty if the task never started
   * @param presence shown from now on
   * @throws SluiceException.Fatal if the task must not run here
   * @throws SluiceException.Retryable if another daemon runs on a host and in a directory of the
   *     same names
   */
  public void require(StartPlan plan, Optional<Checkpoint> checkpoint, DaemonPresence presence) {
    boolean tookPart = presence.wasShown();
    boolean alone = presence.show();
    Optional<TaskIdentity> begun = context.ownership().read();
    if (!alone
        && !tookPart
        && context.config().kafka().isEmpty()
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
          "the journal of task {} is not here; it was in {} on {}. The source's log still has all"
              + " that the target lacks, so the task continues without it",
          context.task(),
          begun.get().dataDirectory(),
          begun.get().host());
    }
  }

  /**
   * The problem of running the task here; empty if there is none. Changes nothing.
   *
   * @param alone whether no other daemon of the task runs
   */
  public Optional<Problem> problem(StartPlan plan, Optional<Checkpoint> checkpoint, boolean alone) {
    Optional<TaskIdentity> begun = context.ownership().read();
    if (begun.isEmpty()) {
      return Optional.empty();
    }
    if (!alone && context.config().kafka().isEmpty() && !isHere(begun.get())) {
      return Optional.of(runsThere(begun.get()));
    }
    return isJournalMissing(plan, checkpoint) && (!alone || !isDispensable(plan, checkpoint.get()))
        ? Optional.of(journalElsewhere(begun.get(), alone))
        : Optional.empty();
  }

  /**
   * The problem of using the journal that is here, without its task, though the task ran elsewhere
   * last: it may be a copy that lacks the end. Empty if the task ran here, or the journal is in the
   * user's Kafka.
   */
  public Optional<Problem> copied() {
    return context
        .ownership()
        .read()
        .filter(begun -> context.config().kafka().isEmpty() && !isHere(begun))
        .map(
            begun ->
                new Problem(
                    "data-dir " + context.ownership().directory(),
                    "task %s ran last on host %s with data-dir %s: the journal here may be a copy that lacks the last changes"
                        .formatted(context.task(), begun.host(), begun.dataDirectory()),
                    "the journal with which it ran last",
                    "Nothing is changed. Run the command there. If that data-dir was moved here, and"
                        + " nothing has run with it since, add --journal-moved"));
  }

  private boolean isJournalMissing(StartPlan plan, Optional<Checkpoint> checkpoint) {
    return context.config().migrationType().captures()
        && plan != StartPlan.CUT_OVER
        && plan != StartPlan.FINISH_CUTOVER
        && checkpoint.flatMap(Checkpoint::journalTopicId).isPresent()
        && !journal.get().equals(checkpoint.get().journalTopicId());
  }

  private boolean isHere(TaskIdentity begun) {
    return begun.host().equals(HostName.text())
        && begun.dataDirectory().equals(context.ownership().directory());
  }

  /**
   * True if the old journal is not needed: the task begins at a new position, or the source still
   * keeps all.
   */
  private boolean isDispensable(StartPlan plan, Checkpoint checkpoint) {
    if (plan == StartPlan.LOAD || plan == StartPlan.FOLLOW) {
      return true;
    }
    Optional<RetentionState> kept = context.source().retention().state();
    Position applied = LaneLayout.lowest(context, checkpoint).position();
    return kept.isPresent()
        && !kept.get().lost()
        && kept.get().activePid().isEmpty()
        && !kept.get().confirmed().isAfter(applied);
  }

  private Problem runsThere(TaskIdentity begun) {
    return new Problem(
        "task " + context.task(),
        "a daemon already runs it, on host %s with data-dir %s"
            .formatted(begun.host(), begun.dataDirectory()),
        "one daemon, with the data-dir that has the journal",
        "Let that daemon run, or stop it with sluice stop and run the task with its data-dir. For"
            + " another task, set another name: task. If that host is gone, its session on the"
            + " target "
            + context.target().dialect().sessions().endWithoutHost());
  }

  /** This daemon has the lock of the directory, so the other one uses another of that name. */
  private Problem runsAtACopy(TaskIdentity begun) {
    return new Problem(
        "task " + context.task(),
        "a daemon already runs it, on a host that is also called %s, in another directory that is also %s; or that host has just failed"
            .formatted(begun.host(), begun.dataDirectory()),
        "one daemon, with the data-dir that has the journal",
        "If this is a copy (of a machine, a container or a data-dir), stop this daemon and leave"
            + " the other one alone. If the other host has failed, its session on the target "
            + context.target().dialect().sessions().endWithoutHost()
            + "; this daemon then continues");
  }

  private Problem journalElsewhere(TaskIdentity begun, boolean alone) {
    String here =
        context
            .config()
            .kafka()
            .map(kafka -> "Kafka at " + kafka.bootstrapServers())
            .orElse("data-dir " + context.ownership().directory());
    return new Problem(
        here,
        "the journal of task %s is not there, and it has changes that the target lacks"
            .formatted(context.task()),
        "the journal with which the task ran last, on host %s with data-dir %s%s"
            .formatted(
                begun.host(), begun.dataDirectory(), alone ? "" : "; a daemon runs there now"),
        "Run the task with that journal: there, or with that data-dir or Kafka moved here. Only if"
            + " the journal is lost for good, run sluice resync here: the next run then compares all"
            + " rows and overwrites what differs on the target");
  }
}
