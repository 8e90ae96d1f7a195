package dev.sluice.engine.cutover;

import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.completion.ConstraintCompletion;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.log.StoredStep;
import dev.sluice.sink.control.schema.EpochFence;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The constraints and triggers of tables that Sluice made. They come last, since they could reject
 * or change applied rows. Owned by the cutover, used by its thread.
 */
final class LastConstraints {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private static final Set<StoredStep.State> NOT_MADE =
      EnumSet.of(StoredStep.State.FAILED, StoredStep.State.SKIPPED);

  private final TaskContext context;
  private final CutoverTask live;

  /** Those that are being made. */
  private Optional<TableCompletion> running = Optional.empty();

  LastConstraints(TaskContext context, CutoverTask live) {
    this.context = context;
    this.live = live;
  }

  /** Whether the target's tables are Sluice's own; else it makes no constraints there. */
  boolean areMade() {
    return StartPlan.madeTables(context.steps().all(context.task()));
  }

  /** Starts to create them, if they are made. */
  void begin(LastQuestions questions) {
    if (!areMade()) {
      running = Optional.empty();
      return;
    }
    AtomicReference<TableCompletion> completion = new AtomicReference<>();
    live.underEpoch(
        claimed ->
            completion.set(
                ConstraintCompletion.begin(
                    questions::constraints,
                    context.target(),
                    questions.tables().stream()
                        .map(context.config().tableMappings()::targetOf)
                        .toList(),
                    context.completionSettings().goingOn(),
                    EpochFence.of(context.controlSchema(), claimed))));
    live.completion(completion.get());
    running = Optional.of(completion.get());
  }

  /** Whether they are being made. */
  boolean haveBegun() {
    return running.isPresent();
  }

  /** Whether some are not made or not validated yet. */
  boolean areOpen() {
    return running.isPresent() && running.get().open() > 0;
  }

  /** Waits until every constraint holds for new rows; existing rows are validated after that. */
  void awaitUsable() throws InterruptedException {
    if (running.isEmpty()) {
      return;
    }
    while (!running.get().await(POLL_INTERVAL)) {
      if (running.get().isDoneBut(CompletionStep.Kind.VALIDATION)) {
        return;
      }
    }
  }

  /**
   * Waits until existing rows are validated as well.
   *
   * @return what was made, in words; empty if nothing is made
   */
  Optional<String> awaitAll() throws InterruptedException {
    if (running.isEmpty()) {
      return Optional.empty();
    }
    boolean complete = false;
    while (!complete) {
      complete = running.get().await(POLL_INTERVAL);
    }
    return Optional.of(running.get().summary());
  }

  /** Lists the definitions that the target lacks, and why. */
  List<String> notMade() {
    return context.completionJournal().read().stream()
        .filter(step -> NOT_MADE.contains(step.state()))
        .map(step -> "%s: %s: %s".formatted(step.state().text(), step.thing(), step.detail()))
        .toList();
  }

  /** Breaks off what is being made. Idempotent. */
  void close() {
    running.ifPresent(TableCompletion::close);
    running = Optional.empty();
  }
}
