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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Reads ranges of keys chunk by chunk. The source finds the end of each chunk and reads it; the
 * target reads the same chunk meanwhile. Owned by the session's thread.
 */
final class RangeSweep {
  /** Parts of the session's time: until then chunks begin; earlier if some are unequal. */
  private static final double END = 0.9;

  private static final double END_IF_UNEQUAL = 0.75;

  /**
   * A sweep that meets unequal chunks takes this part of the time: what differs in them must be
   * read before the session's end.
   */
  private static final double SLICE = 0.3;

  /** Rows of unequal blocks after which a sweep ends: they are read once more. */
  private static final long MOST_UNEQUAL = 20_000;

  /** So many unequal chunks without blocks end a sweep. */
  private static final int MOST_UNDIVIDED = 10;

  private static final int OVERFULL = 4;
  private static final int AHEAD = 3;

  private final BothSides sides;
  private final ComparedRows source;
  private final ComparedRows target;
  private final RowHash hash;
  private final int chunkRows;
  private final ChunkBlocks blocks;
  private final SessionTime time;

  /** Whether the chunk that was read last is unequal, or none was read yet. */
  private boolean unequal = true;

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
    this.blocks = ChunkBlocks.of(chunkRows);
    this.time = time;
  }

  /**
   * A chunk that both sides have read.
   *
   * @param unequal the blocks in which the sides differ; empty if the chunk was not divided
   */
  record Chunk(
      KeyRange range,
      ChunkSums source,
      ChunkSums target,
      long most,
      Optional<List<KeyRange>> unequal) {
    /** Whether a side has more rows than were read. */
    boolean isOverfull() {
      return source.rows() > most || target.rows() > most;
    }

    boolean isEqual() {
      return source.equals(target);
    }
  }

  /**
   * @param chunks that both sides have read, in order
   * @param rest what was not read
   * @param failure why a side stopped
   */
  record Result(List<Chunk> chunks, List<KeyRange> rest, Optional<NotReadable> failure) {}

  /** A chunk that is to be read, and its blocks; none if it is read as a whole. */
  private record Planned(KeyRange range, List<KeyRange> blocks) {}

  /** What a side has read of a chunk: its sums, and those of its blocks if they were read. */
  private record Read(Planned chunk, ChunkSums sums, List<ChunkSums> blocks) {}

  /** What one side has read, and why it stopped. */
  private record Side(List<Read> reads, Optional<NotReadable> failure) {}

  /** Reads the ranges as far as time allows. */
  Result run(List<KeyRange> ranges) throws InterruptedException {
    BlockingQueue<Optional<Planned>> chunks = new LinkedBlockingQueue<>();
    AtomicBoolean stopped = new AtomicBoolean();
    Meeting meeting = new Meeting();
    meeting.unequalNow = unequal;
    Both<Side, Side> both =
        sides.ask(
            () -> readSource(ranges, chunks, stopped, meeting),
            () -> readTarget(chunks, stopped, meeting));
    unequal = meeting.unequalNow;
    return result(ranges, both);
  }

  private Side readSource(
      List<KeyRange> ranges,
      BlockingQueue<Optional<Planned>> chunks,
      AtomicBoolean stopped,
      Meeting meeting) {
    List<Read> reads = new ArrayList<>();
    try {
      for (KeyRange range : ranges) {
        Optional<KeyRange> open = Optional.of(range);
        while (open.isPresent() && !stopped.get() && !meeting.isOver(time)) {
          Planned chunk = plan(open.get(), meeting);
          chunks.add(Optional.of(chunk));
          reads.add(read(sides.source(), source, chunk, meeting));
          open = after(open.get(), chunk.range());
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
      BlockingQueue<Optional<Planned>> chunks, AtomicBoolean stopped, Meeting meeting) {
    List<Read> reads = new ArrayList<>();
    try {
      for (Optional<Planned> chunk = chunks.take();
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

  /** Divided into blocks right behind unequal chunks: differences are seldom alone. */
  private Planned plan(KeyRange range, Meeting meeting) {
    if (meeting.unequalNow && range.after().isPresent() && isDivisible()) {
      List<RowKey> ends = sides.source().endsOfBlocks(source, range, chunkRows, blocks.rows());
      if (ends.size() == blocks.number()) {
        return new Planned(
            new KeyRange(range.after(), Optional.of(ends.get(ends.size() - 1))),
            ChunkBlocks.between(range.after().get(), ends));
      }
    }
    return new Planned(firstOf(range, sides.source(), source), List.of());
  }

  /** Each block would be searched in each partition. */
  private boolean isDivisible() {
    return !source.withLeaves() && !target.withLeaves();
  }

  private Read read(SideView view, ComparedRows rows, Planned chunk, Meeting meeting) {
    Read read = read(view, rows, chunk);
    meeting.add(read);
    return read;
  }

  private Read read(SideView view, ComparedRows rows, Planned chunk) {
    if (!chunk.blocks().isEmpty()) {
      List<ChunkSums> sums = view.sumsOfBlocks(rows, chunk.blocks(), hash, blocks.most());
      Optional<ChunkSums> total = blocks.total(sums);
      if (total.isPresent()) {
        return new Read(chunk, total.get(), sums);
      }
    }
    return new Read(chunk, view.sums(rows, chunk.range(), hash, most()), List.of());
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
        chunks.add(new Chunk(chunk, sums.source(), sums.target(), most(), Optional.empty()));
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
      Read read = left.get(i);
      chunks.add(
          new Chunk(
              read.chunk().range(),
              read.sums(),
              right.get(i).sums(),
              most(),
              unequalBlocks(read, right.get(i))));
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

  /** The blocks in which the sides differ; empty if a side did not read blocks. */
  private static Optional<List<KeyRange>> unequalBlocks(Read source, Read target) {
    List<KeyRange> blocks = source.chunk().blocks();
    if (source.blocks().isEmpty() || target.blocks().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        IntStream.range(0, blocks.size())
            .filter(i -> !source.blocks().get(i).equals(target.blocks().get(i)))
            .mapToObj(blocks::get)
            .toList());
  }

  /** Where the sides meet: how far the target is, and how much is unequal. Threadsafe. */
  private final class Meeting {
    private final Map<KeyRange, Read> waiting = new HashMap<>();
    private final AtomicLong weight = new AtomicLong();

    /** Whether the chunk that both sides have read last is unequal. */
    private volatile boolean unequalNow;

    private final SessionTime begun = SessionTime.starting(time.life());

    private int target;

    synchronized void add(Read read) {
      Read other = waiting.remove(read.chunk().range());
      if (other == null) {
        waiting.put(read.chunk().range(), read);
        return;
      }
      unequalNow = !other.sums().equals(read.sums());
      if (unequalNow) {
        weight.addAndGet(
            unequalBlocks(other, read)
                .map(unequal -> (long) unequal.size() * blocks.rows())
                .orElse(MOST_UNEQUAL / MOST_UNDIVIDED));
      }
    }

    boolean isOver(SessionTime time) {
      return weight.get() == 0
          ? time.isOver(END)
          : weight.get() >= MOST_UNEQUAL || begun.isOver(SLICE) || time.isOver(END_IF_UNEQUAL);
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
