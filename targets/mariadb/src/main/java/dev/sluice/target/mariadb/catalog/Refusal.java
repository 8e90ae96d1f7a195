package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.target.mariadb.server.ServerKind;

/** Refuses what a target of this kind of server cannot do. Stateless. */
public final class Refusal {
  private Refusal() {}

  /** The refusal, which names what is missing. */
  public static SluiceException of(ServerKind server, TargetLimit limit) {
    return new SluiceException.Fatal(
        new Problem(
            "target.type " + server.type(),
            server.label() + " as a target has no " + limit.text(),
            "a task that does without",
            "Use a target of type postgresql, or change the task"));
  }
}
