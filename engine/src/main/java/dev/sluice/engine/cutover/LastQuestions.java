package dev.sluice.engine.cutover;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.engine.context.LostSource;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.PlannedConstraints;
import dev.sluice.engine.load.SequenceCopy;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads from the source what the last steps of a cutover need. If the source has decided, it need
 * not answer: then the notes from before the decision are used. A source that was only quiet must
 * answer. Used by the cutover's thread, for one try.
 */
final class LastQuestions {
  private final TaskContext context;

  /** The notes from before the decision; empty if the source was only quiet. */
  private final Optional<CutoverPlan> plan;

  private final LostSource source;
  private final List<TableId> tables;
  private final List<String> leftOut = new ArrayList<>();

  private LastQuestions(TaskContext context, Optional<CutoverPlan> plan, LostSource source) {
    this.context = context;
    this.plan = plan;
    this.source = source;
    this.tables = plan.map(CutoverPlan::tables).orElseGet(() -> context.replicated());
  }

  /**
   * @param decided whether the source has decided
   */
  static LastQuestions of(TaskContext context, boolean decided) {
    LostSource source = new LostSource(context);
    Optional<CutoverPlan> plan = decided ? CutoverPlan.read(context) : Optional.empty();
    if (plan.isPresent()) {
      source.isThere();
    }
    return new LastQuestions(context, plan, source);
  }

  /** Names on the source. */
  List<TableId> tables() {
    return tables;
  }

  /**
   * Sets the target's sequences, for the second time if the source has decided. If the target then
   * fails without a known reason, they stay as they were set before the source decided; a source
   * that was only quiet had none set.
   *
   * @param intervals for elapsed time
   * @return empty if they were not set: {@link #leftOut} has the reason
   */
  Optional<SequenceCopy.Result> copySequences(CutoverTask live, Clock intervals)
      throws InterruptedException {
    Retries retries = new Retries(RetryPolicy.FEW, intervals);
    while (true) {
      try {
        return copySequences();
      } catch (SluiceException.Unexplained e) {
        if (live.decision().isEmpty()) {
          throw e;
        }
        if (retries.failed().isEmpty()) {
          leftOut.add(
              "the sequences could not be set once more: they are set as they were just before the"
                  + " source decided. Compare each with the source's, and set it by hand with"
                  + " setval where the source's is higher ("
                  + e.getMessage()
                  + ")");
          return Optional.empty();
        }
        if (!retries.await(live::awaitClosing)) {
          throw e;
        }
      }
    }
  }

  private Optional<SequenceCopy.Result> copySequences() {
    Optional<SequenceReading> reading =
        answer(
            () ->
                SequenceCopy.reading(
                    context.source().reader(), tables, context.config().tableMappings()));
    if (reading.isEmpty()) {
      leftOut.add(
          "the source does not answer, so its sequences were not read once more: they are set as"
              + " they were just before it decided ("
              + source.why().orElse("")
              + ")");
      return Optional.empty();
    }
    SequenceCopy.Result result =
        SequenceCopy.copy(
            reading.get(),
            context.source().reader(),
            context.target(),
            context.config().tableMappings());
    if (!result.notSet().isEmpty() && plan.isEmpty()) {
      throw new SluiceException.Fatal(result.notSet());
    }
    result.notSet().stream()
        .map(Problem::toString)
        .map("after the decision a sequence could not be set once more: "::concat)
        .forEach(leftOut::add);
    return result.notSet().isEmpty() ? Optional.of(result) : Optional.empty();
  }

  /** The steps that make constraints and triggers. */
  List<CompletionStep> constraints() {
    PlannedConstraints planned =
        PlannedConstraints.on(context.target(), tables, context.config().tableMappings());
    Optional<List<CompletionStep>> read =
        answer(
            () ->
                planned.read(
                    context.source().reader(), tables, context.completionSettings().runsCode()));
    if (read.isEmpty()) {
      leftOut.add(
          "the source does not answer: constraints and triggers are made as they were just before"
              + " its writers were stopped");
    }
    return read.orElseGet(() -> plan.orElseThrow().constraints());
  }

  /** The sessions on the source's database; none if it does not answer. */
  List<SourceSession> sessions() {
    return answer(() -> context.source().log().sessions()).orElse(List.of());
  }

  /** What could not be done as usual, for the report. */
  List<String> leftOut() {
    return leftOut;
  }

  private <T> Optional<T> answer(Supplier<T> question) {
    return plan.isPresent() ? source.ask(question) : Optional.of(question.get());
  }
}
