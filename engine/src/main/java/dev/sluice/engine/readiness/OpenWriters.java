package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.OpenTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The problem of transactions on the source that do not end before a cutover. Stateless. */
public final class OpenWriters {
  private static final int NAMED_AT_MOST = 5;

  private OpenWriters() {}

  /**
   * Returns the problem if there are such transactions.
   *
   * @param waited how long they were waited for
   */
  public static Optional<Problem> problem(
      String task, List<OpenTransaction> open, Duration waited) {
    if (open.isEmpty()) {
      return Optional.empty();
    }
    List<OpenTransaction> named = open.subList(0, Math.min(NAMED_AT_MOST, open.size()));
    return Optional.of(
        new Problem(
            "cutover of task " + task,
            "%s still open on the source after %d s: %s"
                .formatted(Counted.of(open.size(), "transaction"), waited.toSeconds(), named),
            "no transaction that has changed something, and no prepared one",
            "Stop the applications, end these, and run sluice cutover again"));
  }
}
