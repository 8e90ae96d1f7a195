package dev.sluice.target.yugabytedb;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetLimit;

/** Refuses what YugabyteDB as a target cannot do. Stateless. */
final class Refusal {
  private Refusal() {}

  static SluiceException of(TargetLimit limit) {
    return of(limit.text());
  }

  /**
   * @param what YugabyteDB lacks
   */
  static SluiceException of(String what) {
    return new SluiceException.Fatal(
        new Problem(
            "target.type yugabytedb",
            "YugabyteDB as a target has no " + what,
            "a task that does not need it",
            "Use a target of type postgresql, or change the task"));
  }
}
