package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.FallbackGate;
import dev.sluice.engine.fallback.ForwardTask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a decided cutover does with the old source if there is a way back: the one there leaves it
 * to the way back, the one back opens it for applications again. Each step can be repeated. Used by
 * the cutover's thread.
 */
final class OldSource {
  private static final Logger LOG = LoggerFactory.getLogger(OldSource.class);

  private static final Polling AGAIN = Polling.every(Duration.ofMillis(500));

  private final TaskContext context;
  private boolean left;

  OldSource(TaskContext context) {
    this.context = context;
  }

  /**
   * Opens it for applications, if this is the cutover of a way back.
   *
   * @return what was done, in words
   */
  Optional<String> reopen(CutoverProgress progress) {
    Optional<ForwardTask> forward = ForwardTask.of(context.config());
    if (forward.isEmpty()) {
      return Optional.empty();
    }
    progress.step("opening the old source for writers again");
    List<TableId> opened = forward.get().openOldSource();
    String done = "the old source takes writes again: " + Counted.of(opened.size(), "table");
    progress.reached(done);
    return Optional.of(done);
  }

  /**
   * Removes what this task has on the source, and lets the way back begin. Its changes would come
   * round otherwise. The replication has ended; this waits until both servers answer. Done once.
   *
   * @param timeout after which it returns without that
   */
  void leaveToTheWayBack(Cutover.Live live, CutoverProgress progress, Duration timeout)
      throws InterruptedException {
    Optional<FallbackGate> gate = FallbackGate.of(context);
    Optional<Decision> decision = live.decision();
    if (left || gate.isEmpty() || decision.isEmpty()) {
      return;
    }
    left = AGAIN.until(timeout, () -> isLeft(live, gate.get(), decision.get()));
    if (left) {
      progress.reached("the way back begins");
    }
  }

  private boolean isLeft(Cutover.Live live, FallbackGate gate, Decision decision) {
    try {
      live.underEpoch(new TaskRetention(context)::drop);
      context.source().ddlReporting().remove();
      context.source().capturedTables().drop();
      live.underEpoch(claimed -> gate.switches().release(claimed, decision.cutover()));
      return true;
    } catch (SluiceException.Retryable e) {
      LOG.warn("the way back cannot begin yet, tried again: {}", e.getMessage());
      return false;
    }
  }
}
