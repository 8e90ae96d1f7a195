package dev.sluice.engine.fallback;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
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

  private final TaskContext context;
  private final ForwardTask forward;
  private final DataSize limit;

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

  /** A running watch; closing it fails never. */
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Measures the kept log once.
   *
   * @throws SluiceException.Fatal after the way back was given up
   */
  void require() {
    Optional<RetentionState> state = context.source().retention().state();
    if (state.isEmpty() || state.get().retainedBytes() <= limit.bytes()) {
      return;
    }
    Problem problem =
        new Problem(
            "way back of task " + forward.task(),
            "it is given up: the new side kept %d MB of log for it"
                .formatted(state.get().retainedBytes() >> 20),
            "at most FallbackLogLimit, " + limit,
            "The new side is not harmed, and the old source lacks what was written since. sluice"
                + " stop TASK.yaml --drop --fallback removes what is left of the way back");
    LOG.error("{}", problem);
    new TaskRetention(context).drop();
    throw new SluiceException.Fatal(problem);
  }
}
