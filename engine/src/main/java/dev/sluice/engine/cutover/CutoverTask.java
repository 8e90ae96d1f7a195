package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.replication.Replication;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The running task, as its cutover reads and changes it. Threadsafe. */
interface CutoverTask {
  /** The running replication; waits while it is being restarted. */
  Replication replication() throws InterruptedException;

  Map<String, Object> kafka();

  /**
   * Records a step of the task on the target, under the epoch that the daemon holds.
   *
   * @param step its name, of {@link TaskStepNames}
   */
  void record(String step, String state, String detail);

  /**
   * Does work on the target under the epoch that the daemon holds; again if that was claimed anew
   * meanwhile.
   */
  void underEpoch(Consumer<Checkpoint> work);

  /** Shows the completion's progress in the status from now on. */
  void completion(TableCompletion running);

  /**
   * Publishes the verdict: the target is the database to use.
   *
   * @param open whether constraints are still to be validated
   * @param moved whether the hooks have pointed the applications at the target
   */
  void usable(double seconds, boolean open, boolean moved, List<String> report);

  /** Notes on the target that the source is closed for writers; tries until the target answers. */
  void decided(Decision decision) throws InterruptedException;

  /** Hooks could not let the applications go, for these reasons; it is tried again. */
  void leftHeld(List<Problem> problems);

  /** In words, why applications may still be held; empty if none are. */
  Optional<String> held();

  /** Does the same again, if the target has not heard of the decision of this daemon. */
  void noteDecided() throws InterruptedException;

  /**
   * Shows in the status what keeps the cutover from its end.
   *
   * @param now empty if nothing does any more
   */
  void problem(Optional<String> now);

  /** Waits for a part of the time until the next try; true if the daemon ends. */
  boolean awaitClosing(Duration longest) throws InterruptedException;

  /** The decision that closed the source; empty if it was only quiet. */
  Optional<Decision> decision();

  /** Ends the replication with a durable checkpoint; returns when it has ended. */
  void endReplication() throws InterruptedException;
}
