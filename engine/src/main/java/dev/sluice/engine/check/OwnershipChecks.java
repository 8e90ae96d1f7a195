package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.task.TaskIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks that a task owns the objects it uses, and that its source is still the same database.
 * Changes nothing. Used by one thread.
 */
public final class OwnershipChecks {
  private final TaskContext context;

  public OwnershipChecks(TaskContext context) {
    this.context = context;
  }

  /**
   * The objects that belong to another owner, one problem each.
   *
   * @throws SluiceException if source or target does not answer
   */
  List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    otherSource().ifPresent(problems::add);
    if (problems.isEmpty()) {
      new TaskRetention(context).problem().ifPresent(problems::add);
      context.source().capturedTables().anothers().ifPresent(problems::add);
      context.source().ddlReporting().anothers().ifPresent(problems::add);
    }
    return problems;
  }

  /**
   * The problem that the source is not the one with which the task began.
   *
   * @throws SluiceException if source or target does not answer
   */
  public Optional<Problem> otherSource() {
    return context
        .ownership()
        .read()
        .flatMap(identity -> context.ownership().otherSource(identity, identityNow(identity)));
  }

  /** The identity to compare; it is ignored if a start has to prove the history instead. */
  private SourceIdentity identityNow(TaskIdentity begun) {
    SourceIdentity now = context.source().identityAs(begun.sourceSystem());
    return context.source().provesHistory() && context.config().migrationType().captures()
        ? new SourceIdentity(begun.sourceSystem(), now.timeline())
        : now;
  }

  /**
   * Stops the start before anything is changed.
   *
   * @throws SluiceException.Fatal with all problems, if there is any
   */
  public void require() {
    List<Problem> problems = problems();
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }
}
