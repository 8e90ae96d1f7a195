package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.ForwardTask;
import dev.sluice.sink.control.fallback.SwitchStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final Duration FIRST = Duration.ofSeconds(20);

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
    List<TableId> opened = forward.get().openOldSource(context);
    String done = "the old source takes writes again: " + Counted.of(opened.size(), "table");
    progress.reached(done);
    return Optional.of(done);
  }

  /**
   * Removes what this task has on the source, and lets the way back begin. Its changes would come
   * round otherwise. The replication has ended. Done once; can be repeated. What the task file says
   * does not count: a way back that waits was armed for this cutover.
   *
   * @throws SluiceException if one of the servers does not answer, or refuses it
   */
  void leaveToTheWayBack(CutoverTask live, CutoverProgress progress) {
    Optional<Decision> decision = live.decision();
    if (left || decision.isEmpty()) {
      return;
    }
    UUID cutover = decision.get().cutover();
    SwitchStore switches =
        new SwitchStore(context.target(), context.controlSchema(), context.task());
    if (switches.open().filter(open -> open.cutover().equals(cutover)).isPresent()) {
      live.underEpoch(new TaskRetention(context)::drop);
      context.source().ddlReporting().remove();
      context.source().capturedTables().drop();
      AtomicBoolean released = new AtomicBoolean();
      live.underEpoch(claimed -> released.set(switches.release(claimed, cutover)));
      progress.reached(
          released.get() ? "the way back begins" : "the way back was removed meanwhile");
    }
    left = true;
  }

  /**
   * The same for a moment: who validates constraints for hours must not keep it waiting, and a
   * source that is lost must not keep the constraints waiting.
   */
  void leaveSoon(CutoverTask live, CutoverProgress progress) throws InterruptedException {
    AGAIN.until(
        FIRST,
        () -> {
          try {
            leaveToTheWayBack(live, progress);
            return true;
          } catch (SluiceException e) {
            LOG.warn("the way back cannot begin yet, tried again: {}", e.getMessage());
            return false;
          }
        });
  }
}
