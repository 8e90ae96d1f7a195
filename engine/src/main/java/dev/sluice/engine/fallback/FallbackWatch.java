package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.Source;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Sources;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.status.FallbackStatus;
import dev.sluice.engine.status.LastState;
import dev.sluice.sink.control.fallback.FallbackState;
import dev.sluice.sink.control.fallback.Switch;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the way back of a task from the task's own daemon, for its status. It asks the new
 * side, not the daemon of the way back: that may be gone. Its own thread works while the daemon
 * runs.
 */
public final class FallbackWatch {
  private static final Logger LOG = LoggerFactory.getLogger(FallbackWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** An older state says nothing about the present. */
  private static final Duration FRESH = Duration.ofSeconds(30);

  private final TaskContext context;
  private final FallbackGate gate;
  private final TaskRuntime runtime;
  private final Clock clock;
  private final Source newSide;

  private FallbackWatch(TaskContext context, FallbackGate gate, TaskRuntime runtime, Clock clock) {
    this.context = context;
    this.gate = gate;
    this.runtime = runtime;
    this.clock = clock;
    this.newSide = Sources.unowned(context.config().reversed());
  }

  /**
   * Watches while the daemon of a task runs.
   *
   * @return to be closed with the daemon; does nothing for a task without a way back
   */
  public static Watch start(TaskContext context, TaskRuntime runtime, Clock clock) {
    Optional<FallbackGate> gate = FallbackGate.of(context);
    if (gate.isEmpty()) {
      return () -> {};
    }
    FallbackWatch watch = new FallbackWatch(context, gate.get(), runtime, clock);
    PeriodicTask looking =
        new PeriodicTask(
            "sluice-fallback-watch",
            INTERVAL,
            watch::look,
            e -> LOG.debug("the way back is not watched at present: {}", e.getMessage()));
    looking.start();
    return looking::close;
  }

  private void look() {
    try {
      boolean begun =
          gate.switches().open().filter(open -> open.state() == Switch.State.RELEASED).isPresent();
      runtime.fallback(begun ? begun() : waiting());
    } catch (SluiceException e) {
      runtime.fallback(unknown(e));
      throw e;
    }
  }

  private FallbackStatus waiting() {
    Optional<FallbackState> state = gate.state();
    List<TableId> tables =
        runtime.tables().stream().map(context.config().tableMappings()::targetOf).toList();
    List<String> blocks = gate.problems(state, tables).stream().map(Problem::toString).toList();
    Optional<Instant> answered = state.map(known -> clock.instant().minus(known.age()));
    boolean silent = state.isPresent() && state.get().problem().isEmpty() && !blocks.isEmpty();
    Optional<RetentionState> kept = kept();
    return new FallbackStatus(
        blocks.isEmpty() ? "armed" : "not-armed",
        silent ? answered.orElse(null) : state.flatMap(FallbackState::since).orElse(null),
        answered.orElse(null),
        state.flatMap(FallbackState::roundTrip).map(Duration::toMillis).orElse(null),
        state.flatMap(FallbackState::canaryAt).orElse(null),
        null,
        kept.map(RetentionState::retainedBytes).orElse(null),
        kept.map(RetentionState::readBytes).orElse(null),
        limit(),
        blocks);
  }

  /** Its daemon is asked by the file that it writes, which another machine does not have. */
  private FallbackStatus begun() {
    Optional<ReturnToSource> returned = ReturnToSource.of(context);
    boolean broughtBack = returned.isPresent();
    Optional<LastState> last =
        broughtBack ? Optional.empty() : LastState.read(context.config().reversed().dataDir());
    Optional<Duration> silent =
        last.map(state -> Duration.between(state.at(), clock.instant()))
            .filter(age -> age.compareTo(FRESH) > 0);
    Optional<RetentionState> kept = kept();
    List<String> blocks = new ArrayList<>();
    if (!broughtBack) {
      last.map(LastState::problem).ifPresent(blocks::add);
      silent
          .map(age -> "its daemon last wrote its state %d s ago".formatted(age.toSeconds()))
          .ifPresent(blocks::add);
    }
    returned
        .filter(ReturnToSource.TARGET_LOST::equals)
        .map(ReturnToSource::words)
        .ifPresent(blocks::add);
    return new FallbackStatus(
        returned.map(ReturnToSource::text).orElse("begun"),
        null,
        last.map(LastState::at).orElse(null),
        null,
        null,
        silent.isPresent() ? null : last.map(LastState::behindSeconds).orElse(null),
        kept.map(RetentionState::retainedBytes).orElse(null),
        kept.map(RetentionState::readBytes).orElse(null),
        limit(),
        blocks);
  }

  private FallbackStatus unknown(SluiceException failure) {
    return new FallbackStatus(
        "not-armed",
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        limit(),
        List.of("it is not known at present: " + failure.getMessage()));
  }

  private Optional<RetentionState> kept() {
    try {
      return newSide.retention().state();
    } catch (SluiceException e) {
      LOG.debug("the log that is kept for the way back is not measured: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private long limit() {
    return context.config().taskSettings().get(SluiceSettings.FALLBACK_LOG_LIMIT).bytes();
  }
}
