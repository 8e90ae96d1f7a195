package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView;
import dev.sluice.engine.validate.session.BothSides.Both;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads ranges of keys chunk by chunk. The source finds the end of each chunk and reads it; the
 * target reads the same chunk meanwhile. Owned by the session's thread.
 */
final class RangeSweep {
  /** Parts of the session's time: until then chunks begin; earlier if some are unequal. */
  private static final double END = 0.9;

  private static final double END_IF_UNEQUAL = 0.5;
  private static final int MOST_UNEQUAL = 10;
  private static final int OVERFULL = 4;
  private static final int AHEAD = 3;

  private final BothSides sides;
  private final ComparedRows source;
  private final ComparedRows target;
  private final RowHash hash;
  private final int chunkRows;
  private final SessionTime time;

  RangeSweep(
      BothSides sides,
      ComparedRows source,
      ComparedRows target,
      RowHash hash,
      int chunkRows,
      SessionTime time) {
    this.sides = sides;
    this.source = source;
    this.target = target;
    this.hash = hash;
    this.chunkRows = chunkRows;
    this.time = time;
  }

  /** A chunk that both sides have read. */
  record Chunk(KeyRange range, ChunkSums source, ChunkSums target, long most) {
    /** Whether a side has more rows than were read. */
    boolean isOverfull() {
      return source.rows() > most || target.rows() > most;
    }
  }

  /**
   * @param chunks that both sides have read, in order
   * @param rest what was not read
   * @param failure why a side stopped
   */
  record Result(List<Chunk> chunks, List<KeyRange> rest, Optional<NotReadable> failure) {}

  private record Read(KeyRange range, ChunkSums sums) {}

  /** What one side has read, and why it stopped. */
  private record Side(List<Read> reads, Optional<NotReadable> failure) {}

  /** Reads the ranges as far as time allows. */
  Result run(List<KeyRange> ranges) throws InterruptedException {
    BlockingQueue<Optional<KeyRange>> chunks = new LinkedBlockingQueue<>();
    AtomicBoolean stopped = new AtomicBoolean();
    Meeting meeting = new Meeting();
    Both<Side, Side> both =
        sides.ask(
            () -> readSource(ranges, chunks, stopped, meeting),
            () -> readTarget(chunks, stopped, meeting));
    return result(ranges, both);
  }

  private Side readSource(
      List<KeyRange> ranges,
      BlockingQueue<Optional<KeyRange>> chunks,
      AtomicBoolean stopped,
      Meeting meeting) {
    List<Read> reads = new ArrayList<>();
    try {
      for (KeyRange range : ranges) {
        Optional<KeyRange> open = Optional.of(range);
        while (open.isPresent() && !stopped.get() && !meeting.isOver(time)) {
          KeyRange chunk = firstOf(open.get(), sides.source(), source);
          chunks.add(Optional.of(chunk));
          reads.add(read(sides.source(), source, chunk, meeting));
          open = after(open.get(), chunk);
          meeting.awaitTarget(reads.size());
        }
      }
      return new Side(reads, Optional.empty());
    } catch (NotReadable e) {
      stopped.set(true);
      return new Side(reads, Optional.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Side(reads, Optional.empty());
    } finally {
      chunks.add(Optional.empty());
    }
  }

  private Side readTarget(
      BlockingQueue<Optional<KeyRange>> chunks, AtomicBoolean stopped, Meeting meeting) {
    List<Read> reads = new ArrayList<>();
    try {
      for (Optional<KeyRange> chunk = chunks.take();
          chunk.isPresent() && !stopped.get();
          chunk = chunks.take()) {
        reads.add(read(sides.target(), target, chunk.get(), meeting));
        meeting.targetHas(reads.size());
      }
      return new Side(reads, Optional.empty());
    } catch (NotReadable e) {
      stopped.set(true);
      return new Side(reads, Optional.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Side(reads, Optional.empty());
    } finally {
      stopped.compareAndSet(false, !chunks.isEmpty());
      meeting.targetHas(Integer.MAX_VALUE);
    }
  }

  private Read read(SideView view, ComparedRows rows, KeyRange chunk, Meeting meeting) {
    ChunkSums sums = view.sums(rows, chunk, hash, most());
    meeting.add(chunk, sums);
    return new Read(chunk, sums);
  }

  private long most() {
    return (long) chunkRows * OVERFULL;
  }

  private KeyRange firstOf(KeyRange range, SideView view, ComparedRows rows) {
    Optional<RowKey> end = view.endOfChunk(rows, range, chunkRows);
    return new KeyRange(range.after(), end.or(range::upTo));
  }

  /** What is left of a range after its first chunk; empty if that was its last one. */
  private static Optional<KeyRange> after(KeyRange range, KeyRange chunk) {
    return chunk.upTo().equals(range.upTo())
        ? Optional.empty()
        : Optional.of(new KeyRange(chunk.upTo(), range.upTo()));
  }

  /** Reads a range in chunks of the target's rows, which are many more than the source's. */
  Result runByTarget(KeyRange range) throws InterruptedException {
    List<Chunk> chunks = new ArrayList<>();
    Optional<KeyRange> open = Optional.of(range);
    try {
      while (open.isPresent() && !time.isOver(END)) {
        KeyRange chunk = firstOf(open.get(), sides.target(), target);
        Both<ChunkSums, ChunkSums> sums =
            sides.ask(
                () -> sides.source().sums(source, chunk, hash, most()),
                () -> sides.target().sums(target, chunk, hash, most()));
        chunks.add(new Chunk(chunk, sums.source(), sums.target(), most()));
        open = after(open.get(), chunk);
      }
      return new Result(chunks, open.stream().toList(), Optional.empty());
    } catch (NotReadable e) {
      return new Result(chunks, open.stream().toList(), Optional.of(e));
    }
  }

  private Result result(List<KeyRange> ranges, Both<Side, Side> both) {
    List<Read> left = both.source().reads();
    List<Read> right = both.target().reads();
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      chunks.add(new Chunk(left.get(i).range(), left.get(i).sums(), right.get(i).sums(), most()));
    }
    return new Result(
        chunks, rest(ranges, chunks), both.source().failure().or(() -> both.target().failure()));
  }

  /** The ranges without the chunks, which are their beginning. */
  private static List<KeyRange> rest(List<KeyRange> ranges, List<Chunk> chunks) {
    List<KeyRange> rest = new ArrayList<>();
    int next = 0;
    for (KeyRange range : ranges) {
      Optional<KeyRange> open = Optional.of(range);
      while (open.isPresent() && next < chunks.size()) {
        open = after(open.get(), chunks.get(next++).range());
      }
      open.ifPresent(rest::add);
    }
    return rest;
  }

  /** Where the sides meet: how far the target is, and how many chunks are unequal. Threadsafe. */
  private static final class Meeting {
    private final Map<KeyRange, ChunkSums> waiting = new HashMap<>();
    private final AtomicInteger unequal = new AtomicInteger();
    private int target;

    synchronized void add(KeyRange chunk, ChunkSums sums) {
      ChunkSums other = waiting.remove(chunk);
      if (other == null) {
        waiting.put(chunk, sums);
      } else if (!other.equals(sums)) {
        unequal.incrementAndGet();
      }
    }

    boolean isOver(SessionTime time) {
      return unequal.get() == 0
          ? time.isOver(END)
          : unequal.get() >= MOST_UNEQUAL || time.isOver(END_IF_UNEQUAL);
    }

    synchronized void targetHas(int chunks) {
      target = chunks;
      notifyAll();
    }

    /** The source is never far ahead: what only one side has read is lost at the end. */
    synchronized void awaitTarget(int chunks) throws InterruptedException {
      while (target < chunks - AHEAD) {
        wait(TimeUnit.SECONDS.toMillis(1));
      }
    }
  }
}
