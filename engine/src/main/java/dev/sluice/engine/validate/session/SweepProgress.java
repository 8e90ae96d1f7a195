package dev.sluice.engine.validate.session;

import dev.sluice.config.Durations;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The progress of a sweep: which chunks are planned, which of them the lanes of each side have
 * read, and how much of them is unequal. Threadsafe.
 */
final class SweepProgress {
  /** The fraction of the session's time after which no chunk is begun; less if some are unequal. */
  static final double END = 0.9;

  private static final double END_IF_UNEQUAL = 0.75;

  /**
   * The fraction of the time for a sweep with unequal chunks: their differences must be read before
   * the session ends.
   */
  private static final double SLICE = 0.3;

  /** Rows of unequal blocks after which a sweep ends: they are read once more. */
  static final long MOST_UNEQUAL = 20_000;

  /** A chunk that takes this fraction of the time is slow; a usual one takes a hundredth. */
  private static final double BUSY = 0.08;

  /** How many chunks the source may be ahead of the target: reads of only one side are lost. */
  private static final int AHEAD = 3;

  private final SessionTime time;
  private final SessionTime begun;
  private final int lanes;

  /** Held by the lane that plans the next chunk. */
  private final ReentrantLock planning = new ReentrantLock();

  // These fields are protected by this object's lock.
  private final List<KeyRange> open;
  private final List<Planned> planned = new ArrayList<>();
  private final List<Optional<Read>> source = new ArrayList<>();
  private final List<Optional<Read>> target = new ArrayList<>();
  private int takenByTarget;
  private int readByTarget;
  private boolean complete;
  private boolean stopped;
  private Optional<NotReadable> failure = Optional.empty();
  private Duration slowest = Duration.ZERO;
  private long unequalRows;
  private boolean unequalNow;

  /**
   * @param ranges that are read
   * @param lanes of each side
   * @param unequal whether the last chunk before was unequal, or none was read
   */
  SweepProgress(List<KeyRange> ranges, int lanes, boolean unequal, SessionTime time) {
    this.open = new ArrayList<>(ranges);
    this.lanes = lanes;
    this.unequalNow = unequal;
    this.time = time;
    this.begun = SessionTime.starting(time.life());
  }

  /** A chunk that is to be read, and its blocks; none if it is not divided. */
  record Planned(KeyRange range, List<KeyRange> blocks) {
    Planned {
      blocks = List.copyOf(blocks);
    }
  }

  /** The result of one side for a chunk: its sums, and those of its blocks if they were read. */
  record Read(ChunkSums sums, List<ChunkSums> blocks, Duration took) {
    Read {
      blocks = List.copyOf(blocks);
    }
  }

  /** A chunk by its place in the sweep. */
  record Next(int number, Planned chunk) {}

  /** Finds the first chunk of a range. */
  interface Planner {
    /**
     * @param inBlocks whether it should be divided
     */
    Planned first(KeyRange range, boolean inBlocks);
  }

  /** How many rows of an unequal chunk have to be read once more. */
  interface Weight {
    long of(Planned chunk, Read source, Read target);
  }

  /**
   * The next chunk for a lane of the source, which plans it: one lane at a time, while the others
   * read. Waits for the target if it is far behind.
   *
   * @return empty if there is none, the time is over, or the lane is not wanted any more
   */
  Optional<Next> plan(int lane, Planner planner) throws InterruptedException {
    planning.lockInterruptibly();
    try {
      Optional<KeyRange> range = isWanted(lane) ? nextRange() : Optional.empty();
      if (range.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(add(range.get(), planner.first(range.get(), isUnequalNow())));
    } finally {
      planning.unlock();
    }
  }

  private synchronized Optional<KeyRange> nextRange() throws InterruptedException {
    while (planned.size() - readByTarget >= AHEAD + lanes && !stopped) {
      wait(TimeUnit.SECONDS.toMillis(1));
    }
    if (stopped || open.isEmpty() || isOver()) {
      complete = true;
      notifyAll();
      return Optional.empty();
    }
    return Optional.of(open.get(0));
  }

  /**
   * Whether a chunk that begins now would end too late; the first one of a sweep is read anyway.
   */
  private boolean isOver() {
    Duration chunk = planned.isEmpty() ? Duration.ZERO : slowest;
    return unequalRows == 0
        ? time.isOver(END, chunk)
        : unequalRows >= MOST_UNEQUAL
            || begun.isOver(SLICE, chunk)
            || time.isOver(END_IF_UNEQUAL, chunk);
  }

  /**
   * Waits until there is work for a lane: small tables are read by the first one.
   *
   * @param lane its number on its side, from 0 on
   * @return false if the sweep ends before
   */
  synchronized boolean isWanted(int lane) throws InterruptedException {
    while (planned.size() <= lane && lane > 0 && !complete && !stopped) {
      wait(TimeUnit.SECONDS.toMillis(1));
    }
    return lane == 0 || !complete && !stopped && !isBusy();
  }

  /** Whether the servers are busy, as the time of a chunk shows: one lane of each side reads on. */
  private boolean isBusy() {
    return slowest.toNanos() > time.life().toNanos() * BUSY;
  }

  private synchronized Next add(KeyRange range, Planned chunk) {
    planned.add(chunk);
    source.add(Optional.empty());
    target.add(Optional.empty());
    open.remove(0);
    after(range, chunk.range()).ifPresent(rest -> open.add(0, rest));
    notifyAll();
    return new Next(planned.size() - 1, chunk);
  }

  /** The rest of a range after its first chunk; empty if that was its last one. */
  static Optional<KeyRange> after(KeyRange range, KeyRange chunk) {
    return chunk.upTo().equals(range.upTo())
        ? Optional.empty()
        : Optional.of(new KeyRange(chunk.upTo(), range.upTo()));
  }

  /** The next chunk for a lane of the target; empty if there is none any more for it. */
  synchronized Optional<Next> takeForTarget(int lane) throws InterruptedException {
    while (takenByTarget == planned.size() && !complete && !stopped) {
      wait(TimeUnit.SECONDS.toMillis(1));
    }
    if (stopped || takenByTarget == planned.size() || lane > 0 && isBusy()) {
      return Optional.empty();
    }
    int number = takenByTarget++;
    return Optional.of(new Next(number, planned.get(number)));
  }

  synchronized void sourceHas(int number, Read read, Weight weight) {
    slowest = Durations.longer(slowest, read.took());
    source.set(number, Optional.of(read));
    met(number, weight);
  }

  synchronized void targetHas(int number, Read read, Weight weight) {
    slowest = Durations.longer(slowest, read.took());
    target.set(number, Optional.of(read));
    readByTarget++;
    met(number, weight);
    notifyAll();
  }

  private void met(int number, Weight weight) {
    if (source.get(number).isPresent() && target.get(number).isPresent()) {
      Read left = source.get(number).get();
      Read right = target.get(number).get();
      unequalNow = !left.sums().equals(right.sums());
      if (unequalNow) {
        unequalRows += weight.of(planned.get(number), left, right);
      }
    }
  }

  /** Whether the chunk that both sides have read last is unequal. */
  synchronized boolean isUnequalNow() {
    return unequalNow;
  }

  /** Begins no further chunk. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  synchronized void failed(NotReadable why) {
    failure = failure.or(() -> Optional.of(why));
    stop();
  }

  /** Why a side stopped. */
  synchronized Optional<NotReadable> failure() {
    return failure;
  }

  /** Takes what both sides have read, from the first chunk to one that either has not. */
  interface Taker {
    void take(Planned chunk, Read source, Read target);
  }

  synchronized void forEach(Taker taker) {
    for (int i = 0; i < planned.size(); i++) {
      if (source.get(i).isEmpty() || target.get(i).isEmpty()) {
        return;
      }
      taker.take(planned.get(i), source.get(i).get(), target.get(i).get());
    }
  }
}
