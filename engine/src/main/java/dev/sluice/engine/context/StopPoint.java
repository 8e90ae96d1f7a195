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
 * Where the task stops by itself, as a bound for its lanes. A time becomes a position, that of a
 * fence, once the source's clock has reached it. This bound is kept over the attempts of one
 * process; the end of named transactions is searched in each attempt. The daemon's main thread
 * polls the clock; the bound is read from any thread.
 */
public final class StopPoint {
  private static final Logger LOG = LoggerFactory.getLogger(StopPoint.class);

  /** The source's clock is read at least this often, since it may be set. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private static final Duration POSITION_INTERVAL = Duration.ofSeconds(1);

  private final Optional<CdcStop> stop;
  private final SourceLog log;
  private final Supplier<Position> loaded;
  private final Clock clock;

  /** The time of the source's clock after which a fence is the end; null for a position. */
  private final Instant time;

  /** Whether the stop can only be found in the log. */
  private final boolean foundInLog;

  private final boolean fenced;

  private volatile LaneBound bound;
  private Instant nextLook = Instant.MIN;
  private boolean settled;

  /** Whether the end of the transactions still has to be found in the log. */
  private boolean searching;

  /**
   * @param positions reads a position in the source's form; empty if it names transactions
   * @param fenced whether the log supports fences. Without them a commit time is reached only by
   *     the first later transaction, and the place of a moment is found in the log
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
   * Called when a capture has begun, before changes are applied: it may read another server's log,
   * in which the transactions end elsewhere.
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
   * Requires that the stop is not before a snapshot from which tables are loaded. Called while a
   * capture runs, which may already have found the stop.
   *
   * @throws SluiceException.Fatal if that is before the snapshot
   */
  public void requireBehind(Position snapshot) {
    if (foundInLog && log.stop() instanceof StopReading.At at) {
      requireBehind(snapshot, at.position());
    }
  }

  /** Otherwise these tables would be newer than the others, which stop earlier. */
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
   * Checks whether the source's clock or log has reached the end, if that is possible by now.
   * Called while changes are applied.
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
    // Bounded first, so that no lane passes the fence before it is the bound.
    if (!bound.isFinal()) {
      bound = LaneBound.upTo(log.current());
    }
    LaneBound before = bound;
    Position fence = log.emitFence();
    bound = before.isFinal() ? before.andAt(fence) : LaneBound.endingAt(fence);
    settled = true;
    LOG.info("the task stops after what is committed now, at {} of the source's clock", source);
  }

  /** No lane continues before it is known that the transactions end after its position. */
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

  /** If the source is idle, nothing else would show that the log has passed the position. */
  private void lookForPosition(Instant now) {
    if (log.current().isAfter(bound.upTo())) {
      log.emitFence();
      settled = true;
    } else {
      nextLook = now.plus(POSITION_INTERVAL);
    }
  }

  /** For messages: {@code server_time:2026-01-31T12:00:00Z}. */
  @Override
  public String toString() {
    return stop.map(CdcStop::toString).orElse("none");
  }
}
