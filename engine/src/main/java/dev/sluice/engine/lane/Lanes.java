package dev.sluice.engine.lane;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.LaneRendezvous;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.lane.TableStarts;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All lanes of a task while they run; mostly one. Single use. Started and ended by the daemon's
 * main thread; what it tells may be asked from any thread.
 */
public final class Lanes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);

  /** The publisher writes a schema before the first change that needs it. */
  private static final Duration SCHEMA_PATIENCE = Duration.ofSeconds(30);

  private static final Duration DRAIN_REPORT = Duration.ofSeconds(5);

  private final LaneContext parts;
  private final List<LaneRun> runs;

  private Lanes(LaneContext parts, List<LaneRun> runs) {
    this.parts = parts;
    this.runs = List.copyOf(runs);
  }

  /**
   * Starts the main lane and the others.
   *
   * @param claimed the checkpoint with the epoch that is held: the main lane's
   * @param others what the target says of the lanes beside it
   * @param bound how far each may go
   * @param news tells each when the suspended tables are changed beside its windows
   */
  public static Lanes start(
      TaskContext parts,
      Map<String, Object> kafka,
      Checkpoint claimed,
      List<LaneCheckpoint> others,
      Supplier<LaneBound> bound,
      SuspensionChanges news,
      Clock clock) {
    TableStarts starts = parts.loadMarks().starts();
    SchemaTopic schemas = new SchemaTopic(kafka, parts.topics().schemas(), SCHEMA_PATIENCE);
    LaneContext shared = LaneContext.of(parts, kafka, claimed, schemas, starts, news, clock);
    List<LaneRun> runs = new ArrayList<>();
    try {
      List<LaneCheckpoint> all = new ArrayList<>();
      all.add(LaneCheckpoint.startingAt(LaneId.MAIN, List.of(), claimed.place()));
      all.addAll(others);
      Optional<LaneRendezvous> meeting = meetingOf(others);
      List<SuspendedTable> suspended =
          new SuspendedTables(parts.controlSchema(), parts.task()).read(parts.target());
      for (LaneCheckpoint each : all) {
        TableFilter tables = filterOf(each, others, parts.config().tableMappings()::targetOf);
        runs.add(
            LaneRun.start(
                shared,
                new Lane(each.lane(), tables.from(starts), bound, meeting),
                each.tables(),
                each.place(),
                suspended,
                new LaneSettings(
                    parts::sinkSettings, settings -> settings.shareOf(each.lane(), all.size())),
                parts.applySettings()));
      }
      return new Lanes(shared, runs);
    } catch (RuntimeException e) {
      new Lanes(shared, runs).close();
      throw e;
    }
  }

  private static Optional<LaneRendezvous> meetingOf(List<LaneCheckpoint> others) {
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new LaneRendezvous(
                others.stream().map(LaneCheckpoint::lane).collect(Collectors.toSet())));
  }

  /** The main lane has all tables that no other has, also those that are made later. */
  private static TableFilter filterOf(
      LaneCheckpoint lane, List<LaneCheckpoint> others, UnaryOperator<TableId> targetOf) {
    if (others.isEmpty()) {
      return TableFilter.ALL;
    }
    if (!lane.lane().isMain()) {
      return TableFilter.into(new HashSet<>(lane.tables()), targetOf);
    }
    Set<TableId> elsewhere =
        others.stream().flatMap(other -> other.tables().stream()).collect(Collectors.toSet());
    return TableFilter.not(TableFilter.into(elsewhere, targetOf));
  }

  /** The main lane is the first. */
  public List<LaneRun> all() {
    return runs;
  }

  /** What a lane beside these is to be started with. */
  public LaneContext parts() {
    return parts;
  }

  /** All lanes in one. */
  public SinkProgress progress() {
    return SinkProgress.joined(runs.stream().map(LaneRun::progress).toList());
  }

  /** Why one of them ended by itself. */
  public Optional<SluiceException> failure() {
    return runs.stream().map(LaneRun::failure).flatMap(Optional::stream).findFirst();
  }

  /** Asks to apply what is in the open windows, durably, and to end. */
  public void askToDrain() {
    runs.forEach(LaneRun::askToDrain);
  }

  /**
   * Waits until all have been drained.
   *
   * @throws SluiceException what kept one of them from it
   */
  public void awaitDrained() throws InterruptedException {
    for (LaneRun run : runs) {
      while (!run.awaitEnd(DRAIN_REPORT)) {
        LOG.info(
            "waiting for the last window of {}: {}",
            run.lane().id(),
            run.progress().apply().state());
      }
    }
    Optional<SluiceException> failure = failure();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /** Whether all have ended, by themselves or asked to. */
  boolean haveEnded() throws InterruptedException {
    for (LaneRun run : runs) {
      if (!run.awaitEnd(Duration.ofMillis(1))) {
        return false;
      }
    }
    return true;
  }

  /** Ends them as they are; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    runs.forEach(LaneRun::askToStop);
    runs.forEach(LaneRun::close);
    parts.journalSchemas().close();
  }
}
