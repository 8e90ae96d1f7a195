package dev.sluice.target.yugabytedb;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetLimit;

/** Refuses what a target of YugabyteDB cannot do. Stateless. */
final class Refusal {
  private Refusal() {}

  static SluiceException of(TargetLimit limit) {
    return of(limit.text());
  }

  /**
   * @param what it is that there is none of
   */
  static SluiceException of(String what) {
    return new SluiceException.Fatal(
        new Problem(
            "target.type yugabytedb",
            "YugabyteDB as a target has no " + what,
            "a task that does without",
            "Use a target of type postgresql, or change the task"));
  }
}
