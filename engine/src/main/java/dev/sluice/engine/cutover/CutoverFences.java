package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.replication.Fences;
import java.time.Duration;
import java.util.Optional;

/** Fences of a cutover: one that does not come out of the sink in time ends it. Threadsafe. */
final class CutoverFences {
  private final String task;
  private final Fences fences;

  CutoverFences(String task, Fences fences) {
    this.task = task;
    this.fences = fences;
  }

  /**
   * Writes a fence and waits until it came out of the sink.
   *
   * @return its position
   * @throws SluiceException.Fatal if it did not within the timeout; it says what was missing
   */
  Position pass(Duration timeout) throws InterruptedException {
    Fences.Passage passage = fences.pass(timeout);
    Optional<String> missing = passage.missing();
    if (missing.isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + task,
              "the target has not caught up after %s s: %s"
                  .formatted(timeout.toMillis() / 1000.0, missing.get()),
              "a target that catches up within --timeout",
              "Run sluice cutover again, with a longer --timeout"));
    }
    return passage.fence();
  }

  /** Like {@link #pass}, but tells what is missing. */
  Fences.Passage passage(Duration timeout) throws InterruptedException {
    return fences.pass(timeout);
  }
}
