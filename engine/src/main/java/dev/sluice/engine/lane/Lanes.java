package dev.sluice.engine.lane;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.LaneRendezvous;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All running lanes of a task; usually one. Single use. Started and ended by the daemon's main
 * thread; its progress may be read from any thread.
 */
public final class Lanes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);

  /** The publisher writes a schema before the first change that needs it. */
  private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(30);

  private static final Duration DRAIN_REPORT = Duration.ofSeconds(5);

  private final LaneContext context;
  private final List<LaneRun> runs;

  private Lanes(LaneContext context, List<LaneRun> runs) {
    this.context = context;
    this.runs = List.copyOf(runs);
  }

  /**
   * Starts the main lane and the others.
   *
   * @param claimed the checkpoint with the epoch that is held: the main lane's
   * @param others the checkpoints of the other lanes
   */
  public static Lanes start(
      TaskContext context,
      Map<String, Object> kafka,
      Checkpoint claimed,
      List<LaneCheckpoint> others,
      LaneFeed feed,
      Clock clock) {
    SchemaTopic schemas = new SchemaTopic(kafka, context.topics().schemas(), SCHEMA_TIMEOUT);
    LaneContext shared = LaneContext.of(context, kafka, claimed, schemas, feed.news(), clock);
    List<LaneRun> runs = new ArrayList<>();
    try {
      List<LaneCheckpoint> all = new ArrayList<>();
      all.add(LaneCheckpoint.startingAt(LaneId.MAIN, List.of(), claimed.place()));
      all.addAll(others);
      Optional<LaneRendezvous> meeting =
          meetingOf(others, context.target().dialect().ddl().isTransactional());
      List<SuspendedTable> suspended =
          new SuspendedTables(context.controlSchema(), context.task()).read(context.target());
      for (LaneCheckpoint each : all) {
        TableFilter tables = filterOf(each, others, context.config().tableMappings()::targetOf);
        Lane lane =
            new Lane(
                each.lane(), tables.from(shared.starts()), feed.bound(), meeting, feed.observers());
        runs.add(
            LaneRun.start(
                shared,
                shared.startOf(lane, each.place(), suspended),
                each.tables(),
                new LaneSettings(
                    context::sinkSettings, settings -> settings.shareOf(each.lane(), all.size())),
                feed.settings()));
      }
      return new Lanes(shared, runs);
    } catch (RuntimeException e) {
      new Lanes(shared, runs).close();
      throw e;
    }
  }

  /**
   * The meeting of lanes for DDL that commits: it is executed before its window, and after all
   * earlier transactions.
   */
  private static Optional<LaneRendezvous> meetingOf(
      List<LaneCheckpoint> others, boolean isTransactional) {
    return others.isEmpty() && isTransactional
        ? Optional.empty()
        : Optional.of(
            new LaneRendezvous(
                others.stream().map(LaneCheckpoint::lane).collect(Collectors.toSet())));
  }

  /**
   * The tables of a lane. The main lane has all tables that no other lane has, including those that
   * are created later.
   */
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

  /** The lanes; the main lane is the first. */
  public List<LaneRun> all() {
    return runs;
  }

  /** The context with which another lane under the same epoch is started. */
  public LaneContext parts() {
    return context;
  }

  /** The joined progress of all lanes. */
  public SinkProgress progress() {
    return SinkProgress.joined(runs.stream().map(LaneRun::progress).toList());
  }

  /** The first failure of a lane; empty while all run. */
  public Optional<SluiceException> failure() {
    return runs.stream().map(LaneRun::failure).flatMap(Optional::stream).findFirst();
  }

  /** Requests that the open windows are applied, durably, and the lanes end. */
  public void askToDrain() {
    runs.forEach(LaneRun::askToDrain);
  }

  /** Whether all lanes are drained: asked to, or at their bound. */
  public boolean areDrained() {
    return runs.stream().allMatch(run -> run.drainedAt().isPresent());
  }

  /**
   * Waits until all lanes are drained.
   *
   * @throws SluiceException if one of them has failed
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

  /** Whether all have ended, by themselves or on request. */
  boolean haveEnded() throws InterruptedException {
    for (LaneRun run : runs) {
      if (!run.awaitEnd(Duration.ofMillis(1))) {
        return false;
      }
    }
    return true;
  }

  /** Ends them at once; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    runs.forEach(LaneRun::askToStop);
    runs.forEach(LaneRun::close);
    context.journalSchemas().close();
  }
}
