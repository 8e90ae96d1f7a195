package dev.sluice.engine.fallback;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the way back up before the log that the new side keeps for it fills its disk: production is
 * there. Used by one thread at a time.
 */
public final class FallbackLogGuard {
  private static final Logger LOG = LoggerFactory.getLogger(FallbackLogGuard.class);

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** Of the limit, for all log: it fills the disk of the new side, whoever is the reason. */
  private static final int PINNED_FACTOR = 2;

  private final TaskContext context;
  private final ForwardTask forward;
  private final DataSize limit;
  private boolean warned;

  FallbackLogGuard(TaskContext context, ForwardTask forward) {
    this.context = context;
    this.forward = forward;
    this.limit = context.config().taskSettings().get(SluiceSettings.FALLBACK_LOG_LIMIT);
  }

  /**
   * Watches while the daemon of a way back runs.
   *
   * @return to be closed with the daemon; does nothing for other tasks
   */
  public static Watch watch(TaskContext context, PhaseTracker phases, StopRequest stop) {
    Optional<ForwardTask> forward = ForwardTask.of(context.config());
    if (forward.isEmpty()) {
      return () -> {};
    }
    FallbackLogGuard guard = new FallbackLogGuard(context, forward.get());
    PeriodicTask watching =
        new PeriodicTask(
            "sluice-fallback-log",
            INTERVAL,
            () -> {
              // While it is armed, the main thread looks itself.
              if (phases.phase() != Phase.ARMED) {
                guard.require();
              }
            },
            failure -> {
              if (failure instanceof SluiceException.Fatal fatal) {
                stop.askBecause(fatal);
              } else {
                LOG.debug("the kept log is not measured at present: {}", failure.getMessage());
              }
            });
    watching.start();
    return watching::close;
  }

  /**
   * Measures the kept log once. What the way back has not read is its own lag. What it has read is
   * kept for transactions of the new side that are open, and is no reason to lose the way back
   * before it is as much as the limit again.
   *
   * @throws SluiceException.Fatal after the way back was given up
   */
  void require() {
    Optional<RetentionState> state = context.source().retention().state();
    if (state.isEmpty() || state.get().retainedBytes() <= limit.bytes()) {
      warned = false;
      return;
    }
    RetentionState kept = state.get();
    if (kept.unreadBytes() > limit.bytes()) {
      giveUp(
          "it is given up: the new side kept %d MB of log that it has not read, from"
                  .formatted(mb(kept.unreadBytes()))
              + " confirmed_flush_lsn %s on".formatted(kept.confirmed()),
          "at most FallbackLogLimit, " + limit);
    } else if (kept.retainedBytes() > PINNED_FACTOR * limit.bytes()) {
      giveUp(
          "it is given up: the new side kept %d MB of log for it; "
                  .formatted(mb(kept.retainedBytes()))
              + pinned(kept),
          "at most twice FallbackLogLimit, " + limit + ", for open transactions");
    } else if (!warned) {
      warned = true;
      LOG.warn(
          "the new side keeps {} MB of log for the way back, more than FallbackLogLimit; {}. End"
              + " them: at twice the limit the way back is given up",
          mb(kept.retainedBytes()),
          pinned(kept));
    }
  }

  private static long mb(long bytes) {
    return bytes >> 20;
  }

  /** Whose the log is that the way back has read already. */
  private String pinned(RetentionState kept) {
    List<OpenTransaction> open = context.source().log().openTransactions();
    return "%d MB of it, from restart_lsn to confirmed_flush_lsn %s, were read, and are kept for"
            .formatted(mb(kept.readBytes()), kept.confirmed())
        + " transactions that are open on the new side: "
        + (open.isEmpty() ? "none in this database, look in pg_stat_activity" : open);
  }

  private void giveUp(String found, String expected) {
    Problem problem =
        new Problem(
            "way back of task " + forward.task(),
            found,
            expected,
            "The new side is not harmed, and the old source lacks what was written since. sluice"
                + " stop TASK.yaml --drop --fallback removes what is left of the way back");
    LOG.error("{}", problem);
    new TaskRetention(context).drop();
    throw new SluiceException.Fatal(problem);
  }
}
