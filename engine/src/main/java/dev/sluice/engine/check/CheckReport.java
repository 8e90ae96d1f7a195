package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Collects the problems and notes of a task's checks, in order. Used by one thread. */
final class CheckReport {
  /** The class of SQLSTATEs of the connection itself. */
  private static final String NO_CONNECTION = "08";

  private final List<Problem> problems = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private boolean mayPass;

  void problems(Collection<Problem> found) {
    problems.addAll(found);
  }

  boolean hasProblems() {
    return !problems.isEmpty();
  }

  /** A check has failed, which is named elsewhere if it has to be. */
  void unread(SluiceException failure) {
    mayPass |= isAnswer(failure);
  }

  /** Whether a server answers, and the same may succeed at once. */
  private static boolean isAnswer(SluiceException failure) {
    return failure instanceof SluiceException.Retryable
        && failure.getCause() instanceof SQLException error
        && error.getSQLState() != null
        && !error.getSQLState().startsWith(NO_CONNECTION);
  }

  /** The same as {@link #failure} unless a side that cannot be reached has been named already. */
  void failureUnlessNamed(String thing, SluiceException failure) {
    unread(failure);
    if (!hasProblems()) {
      failure(thing, failure);
    }
  }

  /** Adds the problems of a failed check, or the failure itself. */
  void failure(String thing, SluiceException failure) {
    unread(failure);
    if (failure instanceof SluiceException.Fatal refusal && !refusal.problems().isEmpty()) {
      problems.addAll(refusal.problems());
    } else {
      problems.add(new Problem(thing, failure.getMessage(), "", ""));
    }
  }

  /**
   * Adds differences between tables of source and target.
   *
   * @param mayResolve true: pending changes may resolve them, so they are notes, not problems
   */
  void differences(List<Problem> found, boolean mayResolve) {
    if (mayResolve) {
      found.forEach(problem -> note("unless pending changes resolve it: " + problem));
    } else {
      problems.addAll(found);
    }
  }

  void note(String note) {
    notes.add(note);
  }

  void notes(Collection<String> found) {
    notes.addAll(found);
  }

  TaskChecks.Findings build(String summary) {
    return new TaskChecks.Findings(problems, notes, summary, mayPass);
  }
}
