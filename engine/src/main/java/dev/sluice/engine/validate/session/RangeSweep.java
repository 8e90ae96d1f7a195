package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView;
import dev.sluice.engine.validate.session.BothSides.Both;
import dev.sluice.engine.validate.session.SweepProgress.Next;
import dev.sluice.engine.validate.session.SweepProgress.Planned;
import dev.sluice.engine.validate.session.SweepProgress.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Reads ranges of keys chunk by chunk, in lanes: a lane of the source finds the end of a chunk and
 * reads it, and a lane of the target reads the same chunk meanwhile. Owned by the session's thread.
 */
final class RangeSweep {
  /** After this many unequal chunks without blocks a sweep ends. */
  private static final int MOST_UNDIVIDED = 10;

  /** A chunk with so many times the rows that it should have is read no further. */
  static final int OVERFULL = 4;

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

  /** Reads the ranges as far as time allows, in lanes. */
  Result run(List<KeyRange> ranges) throws InterruptedException {
    SweepProgress progress = new SweepProgress(ranges, sides.lanes(), unequal, time);
    List<Runnable> lanes = new ArrayList<>();
    List<SideView> ofSource = sides.source().lanes(sides.lanes());
    List<SideView> ofTarget = sides.target().lanes(sides.lanes());
    for (int i = 0; i < sides.lanes(); i++) {
      int number = i;
      lanes.add(() -> readSource(number, ofSource.get(number), progress));
      lanes.add(() -> readTarget(number, ofTarget.get(number), progress));
    }
    sides.together(lanes);
    unequal = progress.isUnequalNow();
    List<Chunk> chunks = new ArrayList<>();
    progress.forEach(
        (chunk, left, right) ->
            chunks.add(
                new Chunk(
                    chunk.range(),
                    left.sums(),
                    right.sums(),
                    most(),
                    unequalBlocks(chunk, left, right))));
    return new Result(chunks, rest(ranges, chunks), progress.failure());
  }

  private void readSource(int number, SideView view, SweepProgress progress) {
    reading(
        number,
        view,
        progress,
        () -> {
          SweepProgress.Planner planner = (range, inBlocks) -> plan(view, range, inBlocks);
          for (Optional<Next> next = progress.plan(number, planner);
              next.isPresent();
              next = progress.plan(number, planner)) {
            progress.sourceHas(
                next.get().number(), read(view, source, next.get().chunk()), this::weight);
          }
        });
  }

  private void readTarget(int number, SideView view, SweepProgress progress) {
    reading(
        number,
        view,
        progress,
        () -> {
          for (Optional<Next> next = progress.takeForTarget(number);
              next.isPresent();
              next = progress.takeForTarget(number)) {
            progress.targetHas(
                next.get().number(), read(view, target, next.get().chunk()), this::weight);
          }
        });
  }

  /** What a lane does. */
  private interface Lane {
    void run() throws InterruptedException;
  }

  /** A lane without a session leaves the chunks to the others. */
  private static void reading(int number, SideView view, SweepProgress progress, Lane lane) {
    boolean done = false;
    try {
      if (progress.isWanted(number) && view.tryOpen()) {
        lane.run();
      }
      done = true;
    } catch (NotReadable e) {
      progress.failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!done) {
        progress.stop();
      }
    }
  }

  /**
   * Plans a chunk, divided into blocks right after an unequal one: differences are often close
   * together.
   */
  private Planned plan(SideView view, KeyRange range, boolean inBlocks) {
    if (inBlocks && range.after().isPresent() && isDivisible()) {
      List<RowKey> ends = view.endsOfBlocks(source, range, chunkRows, blocks.rows());
      if (ends.size() == blocks.number()) {
        return new Planned(
            new KeyRange(range.after(), Optional.of(ends.get(ends.size() - 1))),
            ChunkBlocks.between(range.after().get(), ends));
      }
    }
    return new Planned(firstOf(range, view, source), List.of());
  }

  /** False if a side is read with its partitions: each block would be searched in each of them. */
  private boolean isDivisible() {
    return !source.withLeaves() && !target.withLeaves();
  }

  private Read read(SideView view, ComparedRows rows, Planned chunk) {
    SessionTime begun = SessionTime.starting(time.life());
    if (!chunk.blocks().isEmpty()) {
      List<ChunkSums> sums = view.sumsOfBlocks(rows, chunk.blocks(), hash, blocks.most());
      Optional<ChunkSums> total = blocks.total(chunk.blocks().size(), sums);
      if (total.isPresent()) {
        return new Read(total.get(), sums, begun.spent());
      }
    }
    ChunkSums sums = view.sums(rows, chunk.range(), hash, most());
    return new Read(sums, List.of(), begun.spent());
  }

  private long most() {
    return (long) chunkRows * OVERFULL;
  }

  private KeyRange firstOf(KeyRange range, SideView view, ComparedRows rows) {
    Optional<RowKey> end = view.endOfChunk(rows, range, chunkRows);
    return new KeyRange(range.after(), end.or(range::upTo));
  }

  /** Reads a range in chunks of the target's rows, which are many more than the source's. */
  Result runByTarget(KeyRange range) throws InterruptedException {
    List<Chunk> chunks = new ArrayList<>();
    Optional<KeyRange> open = Optional.of(range);
    try {
      while (open.isPresent() && !time.isOver(SweepProgress.END)) {
        KeyRange chunk = firstOf(open.get(), sides.target(), target);
        Both<ChunkSums, ChunkSums> sums =
            sides.ask(
                () -> sides.source().sums(source, chunk, hash, most()),
                () -> sides.target().sums(target, chunk, hash, most()));
        chunks.add(new Chunk(chunk, sums.source(), sums.target(), most(), Optional.empty()));
        open = SweepProgress.after(open.get(), chunk);
      }
      return new Result(chunks, open.stream().toList(), Optional.empty());
    } catch (NotReadable e) {
      return new Result(chunks, open.stream().toList(), Optional.of(e));
    }
  }

  /** The ranges without the chunks, which are at their beginning. */
  private static List<KeyRange> rest(List<KeyRange> ranges, List<Chunk> chunks) {
    List<KeyRange> rest = new ArrayList<>();
    int next = 0;
    for (KeyRange range : ranges) {
      Optional<KeyRange> open = Optional.of(range);
      while (open.isPresent() && next < chunks.size()) {
        open = SweepProgress.after(open.get(), chunks.get(next++).range());
      }
      open.ifPresent(rest::add);
    }
    return rest;
  }

  /** The blocks in which the sides differ; empty if a side did not read blocks. */
  private static Optional<List<KeyRange>> unequalBlocks(Planned chunk, Read source, Read target) {
    List<KeyRange> blocks = chunk.blocks();
    if (source.blocks().isEmpty() || target.blocks().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        IntStream.range(0, blocks.size())
            .filter(i -> !source.blocks().get(i).equals(target.blocks().get(i)))
            .mapToObj(blocks::get)
            .toList());
  }

  private long weight(Planned chunk, Read source, Read target) {
    return unequalBlocks(chunk, source, target)
        .map(unequal -> (long) unequal.size() * blocks.rows())
        .orElse(SweepProgress.MOST_UNEQUAL / MOST_UNDIVIDED);
  }
}
