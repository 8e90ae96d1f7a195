package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStop;
import dev.sluice.config.task.CdcStop.AtCommitTime;
import dev.sluice.config.task.CdcStop.AtPosition;
import dev.sluice.config.task.CdcStop.AtServerTime;
import dev.sluice.config.task.CdcStop.Now;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.StopReading;
import dev.sluice.sink.lane.LaneBound;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the task stops by itself, as a bound for its lanes. A time becomes a position once the
 * source's clock has reached it: that of a fence. Such a bound holds over attempts of one process;
 * where transactions end is asked for in each. The daemon's main thread looks at the clock; the
 * bound is read from any thread.
 */
public final class StopPoint {
  private static final Logger LOG = LoggerFactory.getLogger(StopPoint.class);

  /** The source's clock is asked at least so often, since it may be set. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private static final Duration POSITION_INTERVAL = Duration.ofSeconds(1);

  private final Optional<CdcStop> stop;
  private final SourceLog log;
  private final Supplier<Position> loaded;
  private final Clock clock;

  /** The time of the source's clock from which on a fence is the end; null for a position. */
  private final Instant time;

  /** Whether only the log tells where the task stops. */
  private final boolean foundInLog;

  private final boolean fenced;

  private volatile LaneBound bound;
  private Instant nextLook = Instant.MIN;
  private boolean settled;

  /** Whether the log is yet to tell where they end. */
  private boolean searching;

  /**
   * @param positions reads a position in the source's form; empty if it names transactions
   * @param fenced whether the log takes fences. Without them a time of commits is reached by the
   *     first later transaction only, and the log finds where a moment is
   * @param loaded the highest position of which the target has loaded rows
   * @param clock of this process
   */
  StopPoint(
      Optional<CdcStop> stop,
      Function<String, Optional<Position>> positions,
      SourceLog log,
      boolean fenced,
      Supplier<Position> loaded,
      Clock clock) {
    this.stop = stop;
    this.log = log;
    this.loaded = loaded;
    this.clock = clock;
    CdcStop where = stop.orElse(null);
    this.time =
        where instanceof AtCommitTime at
            ? at.time()
            : where instanceof AtServerTime at
                ? at.time()
                : where instanceof Now ? Instant.MIN : null;
    Optional<Position> position =
        where instanceof AtPosition at ? positions.apply(at.position()) : Optional.empty();
    boolean ofTransactions = where instanceof AtPosition && position.isEmpty();
    this.fenced = fenced;
    this.foundInLog =
        ofTransactions || !fenced && (where instanceof AtServerTime || where instanceof Now);
    this.searching = foundInLog;
    this.bound =
        where instanceof AtPosition
            ? position.map(LaneBound::endingAt).orElse(LaneBound.upTo(Position.ZERO))
            : where instanceof AtCommitTime at
                ? LaneBound.endingAt(at.time())
                : foundInLog ? LaneBound.upTo(Position.ZERO) : LaneBound.NONE;
    this.settled = stop.isEmpty() || !fenced && !foundInLog;
  }

  public static StopPoint of(TaskContext context, Clock clock) {
    TaskConfig config = context.config();
    return new StopPoint(
        config.cdcStop(),
        text -> Sources.stopPosition(config, text),
        context.source().log(),
        context.source().notFenced().isEmpty(),
        () -> context.loadMarks().starts().others(),
        clock);
  }

  /**
   * Changes are to be applied from now on. Called once a capture has begun: it may read another log
   * than the one before, in which the transactions end elsewhere.
   */
  public void begin() {
    if (foundInLog) {
      bound = LaneBound.upTo(Position.ZERO);
      searching = true;
      settled = false;
      nextLook = Instant.MIN;
    }
  }

  /**
   * Tables are to be loaded as they are at a snapshot. Called while a capture runs, which may have
   * found already where the task stops.
   *
   * @throws SluiceException.Fatal if that is before the snapshot
   */
  public void requireBehind(Position snapshot) {
    if (foundInLog && log.stop() instanceof StopReading.At at) {
      requireBehind(snapshot, at.position());
    }
  }

  /** Other tables would be as they were at the stop. */
  private void requireBehind(Position snapshot, Position end) {
    if (snapshot.isAfter(end)) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-stop-position " + this,
              "the last of them ends at %s, and tables were loaded as they are at %s"
                  .formatted(end, snapshot),
              "transactions that end after all loads of tables",
              "Remove it, or name later transactions"));
    }
  }

  /** How far lanes may go now. */
  public LaneBound bound() {
    return bound;
  }

  /**
   * Looks whether the source's clock or log has reached the end, if it may have. Called while
   * changes are applied.
   *
   * @throws SluiceException if the source does not answer, or tables were loaded after the end
   */
  public void look() {
    Instant now = clock.instant();
    if (settled || now.isBefore(nextLook)) {
      return;
    }
    if (searching) {
      lookForTransactions();
      return;
    }
    if (time == null) {
      lookForPosition(now);
      return;
    }
    Instant source = log.clock();
    if (source.isBefore(time)) {
      Duration left = Duration.between(source, time);
      nextLook = now.plus(left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT);
      return;
    }
    // No lane may pass the fence before it is the bound.
    if (!bound.isFinal()) {
      bound = LaneBound.upTo(log.current());
    }
    LaneBound before = bound;
    Position fence = log.emitFence();
    bound = before.isFinal() ? before.andAt(fence) : LaneBound.endingAt(fence);
    settled = true;
    LOG.info("the task stops after what is committed now, at {} of the source's clock", source);
  }

  /** No lane goes on before it is known that they end after. */
  private void lookForTransactions() {
    StopReading reading = log.stop();
    if (reading instanceof StopReading.At at) {
      requireBehind(loaded.get(), at.position());
      bound = LaneBound.endingAt(at.position());
      searching = false;
      settled = !fenced;
    } else if (reading instanceof StopReading.NotUpTo before) {
      bound = LaneBound.upTo(bound.upTo().max(before.position()));
    }
  }

  /** On a source that rests, nothing would show that the log goes past the position. */
  private void lookForPosition(Instant now) {
    if (log.current().isAfter(bound.upTo())) {
      log.emitFence();
      settled = true;
    } else {
      nextLook = now.plus(POSITION_INTERVAL);
    }
  }

  /** For people: {@code server_time:2026-01-31T12:00:00Z}. */
  @Override
  public String toString() {
    return stop.map(CdcStop::toString).orElse("none");
  }
}
