package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The daemon's task, as a cutover or a rehearsal reads and changes it. Owned by the coordinator;
 * threadsafe.
 */
final class CutoverTask {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  private final CurrentReplication current;
  private final Map<String, Object> kafka;
  private final CutoverSteps steps;
  private final CutoverState state;
  private final AfterCutover after;
  private final LeftHeld held;

  CutoverTask(
      CurrentReplication current,
      Map<String, Object> kafka,
      CutoverSteps steps,
      CutoverState state,
      AfterCutover after,
      LeftHeld held) {
    this.current = current;
    this.kafka = kafka;
    this.steps = steps;
    this.state = state;
    this.after = after;
    this.held = held;
  }

  /** The running replication; waits while it is being restarted. */
  Replication replication() throws InterruptedException {
    return Polling.every(POLL_INTERVAL).untilPresent(current::get);
  }

  Map<String, Object> kafka() {
    return kafka;
  }

  /**
   * Records a step of the task on the target, under the epoch that the daemon holds.
   *
   * @param step its name, one of {@link TaskStepNames}
   */
  void record(String step, String stepState, String detail) {
    steps.record(step, stepState, detail);
  }

  /**
   * Runs work on the target under the daemon's epoch. Repeats it if the daemon has claimed the next
   * epoch meanwhile.
   */
  void underEpoch(Consumer<Checkpoint> work) {
    steps.underEpoch(work);
  }

  /** Shows the completion's progress in the status from now on. */
  void completion(TableCompletion running) {
    current.runtime().completion(running);
  }

  /**
   * Publishes the verdict: the target is the database to use.
   *
   * @param open whether constraints are still to be validated
   * @param moved whether the hooks have pointed the applications at the target
   */
  void usable(double seconds, boolean open, boolean moved, List<String> report) {
    state.usable(after.usable(seconds, open, moved, report, this::canAskSource));
  }

  /**
   * Whether the source may be read: not after the decision, when it is closed and may be lost, and
   * not while the replication runs, when its log is in use and changes are still applied.
   */
  private boolean canAskSource() {
    return current.get().isEmpty() && decision().isEmpty();
  }

  /**
   * Records on the target that the source is closed for writers; retries until the target answers.
   */
  void decided(Decision decision) throws InterruptedException {
    state.decided(decision);
    noteDecided();
  }

  /** Records it if an earlier attempt of this daemon has failed. */
  void noteDecided() throws InterruptedException {
    Decision known = state.decision();
    if (known != null && steps.open().isPresent()) {
      steps.noteDecided(known);
    }
  }

  /** The decision that closed the source; empty if it was only quiet. */
  Optional<Decision> decision() {
    return steps.decision();
  }

  /** Notes why hooks could not release the applications; that is tried again. */
  void leftHeld(List<Problem> problems) {
    held.add(problems);
  }

  /** Why applications may still be held, as text; empty if none are. */
  Optional<String> held() {
    return held.words();
  }

  /**
   * Shows in the status what keeps the cutover from ending.
   *
   * @param now empty if nothing does any more
   */
  void problem(Optional<String> now) {
    current.runtime().problem(ProblemKind.CUTOVER, now);
  }

  /** Waits until the next try, at most this long; true if the daemon ends. */
  boolean awaitClosing(Duration longest) throws InterruptedException {
    return state.awaitClosing(longest);
  }

  /** Ends the replication with a durable checkpoint; returns when it has ended. */
  void endReplication() throws InterruptedException {
    state.endReplication();
  }
}
