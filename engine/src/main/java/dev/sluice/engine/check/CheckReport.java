package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Gathers what the checks of a task find, in their order. Used by one thread. */
final class CheckReport {
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  void problems(Collection<Problem> found) {
    problems.addAll(found);
  }

  boolean hasProblems() {
    return !problems.isEmpty();
  }

  /** What kept a check from looking, or what it refuses. */
  void failure(String thing, SluiceException failure) {
    if (failure instanceof SluiceException.Fatal refusal && !refusal.problems().isEmpty()) {
      problems.addAll(refusal.problems());
    } else {
      problems.add(new Problem(thing, failure.getMessage(), "", ""));
    }
  }

  /**
   * How tables of both sides differ.
   *
   * @param mayBeMended by changes that are still to be applied: then each is only noted
   */
  void differences(List<Problem> found, boolean mayBeMended) {
    if (mayBeMended) {
      found.forEach(
          problem -> note("unless changes that are still to be applied mend it: " + problem));
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
    return new TaskChecks.Findings(problems, notes, summary);
  }
}
