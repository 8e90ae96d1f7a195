package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetLimit;

/** Refuses what a target of MariaDB cannot do. Stateless. */
public final class Refusal {
  private Refusal() {}

  /** The refusal, which names what is missing. */
  public static SluiceException of(TargetLimit limit) {
    return new SluiceException.Fatal(
        new Problem(
            "target.type mariadb",
            "MariaDB as a target has no " + limit.text(),
            "a task that does without",
            "Use a target of type postgresql, or change the task"));
  }
}
