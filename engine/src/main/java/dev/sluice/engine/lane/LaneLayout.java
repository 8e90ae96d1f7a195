package dev.sluice.engine.lane;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns tables to lanes. The layout is stored on the target and kept as long as the number of
 * threads and the tables are the same. Before a new layout, all lanes are brought to one position.
 * Owned by the daemon's main thread.
 */
public final class LaneLayout {
  private static final Logger LOG = LoggerFactory.getLogger(LaneLayout.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final TaskContext context;
  private final Map<String, Object> kafka;
  private final StopRequest stop;
  private final Clock clock;
  private final LaneCheckpoints store;

  public LaneLayout(TaskContext context, Map<String, Object> kafka, StopRequest stop, Clock clock) {
    this.context = context;
    this.kafka = kafka;
    this.stop = stop;
    this.clock = clock;
    this.store = new LaneCheckpoints(context.target(), context.controlSchema());
  }

  /**
   * The checkpoints with which the lanes start. Immutable.
   *
   * @param main the checkpoint of the main lane, with the epoch that is held
   * @param others the checkpoints of the other lanes
   */
  public record Start(Checkpoint main, List<LaneCheckpoint> others) {}

  /** Deletes the layout of a task that starts from the beginning. */
  public void clear(Checkpoint claimed) {
    store.forget(claimed);
  }

  /** The checkpoint with the position of the lane that is furthest behind. */
  public Checkpoint lowest(Checkpoint claimed) {
    return lowest(context, claimed);
  }

  /** The checkpoint with the position of the lane that is furthest behind. */
  public static Checkpoint lowest(TaskContext context, Checkpoint claimed) {
    Checkpoint lowest = claimed;
    LaneCheckpoints store = new LaneCheckpoints(context.target(), context.controlSchema());
    for (LaneCheckpoint lane : store.read(claimed.task())) {
      if (lowest.position().isAfter(lane.place().position())) {
        lowest = claimed.at(lane.place());
      }
    }
    return lowest;
  }

  /** The position of the lane that is furthest ahead. */
  public Position furthest(Checkpoint claimed) {
    return furthest(context, claimed);
  }

  /** The position of the lane that is furthest ahead. */
  public static Position furthest(TaskContext context, Checkpoint claimed) {
    return new LaneCheckpoints(context.target(), context.controlSchema())
        .read(claimed.task()).stream()
            .map(lane -> lane.place().position())
            .reduce(claimed.position(), Position::max);
  }

  /** The highest journal offset from which a lane continues. */
  public long highestOffset(Checkpoint claimed) {
    return store.read(claimed.task()).stream()
        .mapToLong(lane -> lane.place().nextOffset())
        .reduce(claimed.nextOffset(), Math::max);
  }

  /** Makes each lane read the journal from that offset, and drop what it has by position. */
  public void readFrom(Checkpoint claimed, long offset) {
    store.readFrom(claimed, offset);
  }

  /**
   * Returns the lanes to start, after changing the layout if needed.
   *
   * @param claimed the main lane's checkpoint as it is on the target
   * @return empty if the task was stopped meanwhile
   */
  public Optional<Start> prepare(Checkpoint claimed, SourceCatalog catalog)
      throws InterruptedException {
    List<LaneCheckpoint> now =
        store.read(claimed.task()).stream().filter(lane -> lane.lane().isParallel()).toList();
    Map<TableId, Long> sizes = sizes(catalog);
    int most = context.config().taskSettings().get(TargetMetadata.PARALLEL_APPLY_THREADS);
    if (isStill(now, sizes, most)) {
      log(now);
      return Optional.of(new Start(claimed, now));
    }
    Optional<Checkpoint> together = bringTogether(claimed, now);
    if (together.isEmpty()) {
      return Optional.empty();
    }
    List<LaneCheckpoint> next = make(together.get(), now, LaneSpread.of(sizes, most));
    context
        .steps()
        .record(
            claimed,
            TaskStepNames.LANES,
            Integer.toString(most),
            FollowedTables.detail(sizes.keySet()));
    log(next);
    return Optional.of(new Start(together.get(), next));
  }

  private boolean isStill(List<LaneCheckpoint> now, Map<TableId, Long> sizes, int most) {
    if (most <= 1) {
      return now.isEmpty();
    }
    Optional<TaskStep> made = context.steps().read(context.task(), TaskStepNames.LANES);
    return made.isPresent()
        && made.get().state().equals(Integer.toString(most))
        && made.get().detail().equals(FollowedTables.detail(sizes.keySet()))
        && now.size() + 1 == Math.max(1, Math.min(most, sizes.size()));
  }

  /** Sizes in pages by target table, sorted; a partition counts for its root. */
  private Map<TableId, Long> sizes(SourceCatalog catalog) {
    Map<TableId, Long> sizes = new TreeMap<>();
    for (CatalogTable table : catalog.tables()) {
      sizes.merge(
          context.config().tableMappings().targetOf(table.root()),
          Math.max(0, table.pages()),
          Long::sum);
    }
    return sizes;
  }

  /** Runs the present lanes up to the position of the one that is furthest ahead. */
  private Optional<Checkpoint> bringTogether(Checkpoint claimed, List<LaneCheckpoint> now)
      throws InterruptedException {
    Position furthest = claimed.position();
    for (LaneCheckpoint lane : now) {
      furthest = furthest.max(lane.place().position());
    }
    Position upTo = furthest;
    if (now.stream().allMatch(lane -> lane.place().position().equals(claimed.position()))) {
      return Optional.of(claimed);
    }
    LOG.info(
        "the layout of lanes changes: the present {} lanes run up to {} first",
        now.size() + 1,
        upTo);
    if (!runUpTo(claimed, now, upTo)) {
      return Optional.empty();
    }
    requireTogether(upTo);
    return context.checkpoints().read(claimed.task());
  }

  /**
   * Applies what the journal has up to a position, with the present lanes and without a capture.
   *
   * @param claimed the main lane's checkpoint, with the epoch that is held
   * @throws SluiceException if a lane fails
   */
  public void runUpTo(Checkpoint claimed, Position upTo) throws InterruptedException {
    List<LaneCheckpoint> others =
        store.read(claimed.task()).stream().filter(lane -> lane.lane().isParallel()).toList();
    boolean behind =
        upTo.isAfter(claimed.position())
            || others.stream().anyMatch(lane -> upTo.isAfter(lane.place().position()));
    if (behind) {
      runUpTo(claimed, others, upTo);
    }
  }

  /** Returns false if the task was stopped meanwhile. */
  private boolean runUpTo(Checkpoint claimed, List<LaneCheckpoint> now, Position upTo)
      throws InterruptedException {
    try (Lanes lanes =
        Lanes.start(
            context,
            kafka,
            claimed,
            now,
            LaneFeed.endingAt(() -> LaneBound.endingAt(upTo), applySettings()),
            clock)) {
      while (!lanes.haveEnded()) {
        Optional<SluiceException> failure = lanes.failure();
        if (failure.isPresent()) {
          throw failure.get();
        }
        if (stop.await(POLL_INTERVAL)) {
          lanes.askToDrain();
          lanes.awaitDrained();
          return false;
        }
      }
      lanes.awaitDrained();
      return true;
    }
  }

  private ApplySettings applySettings() {
    return TaskResync.of(context.steps().all(context.task()))
        .applySettings(context.applySettings());
  }

  private void requireTogether(Position place) {
    for (LaneCheckpoint lane : store.read(context.task())) {
      if (lane.lane().isParallel() && !lane.place().position().equals(place)) {
        throw new SluiceException.Fatal(
            "BUG: %s stands at %s after it ran up to %s"
                .formatted(lane.lane(), lane.place().position(), place),
            null);
      }
    }
  }

  private List<LaneCheckpoint> make(
      Checkpoint together, List<LaneCheckpoint> before, LaneSpread spread) {
    List<LaneCheckpoint> next = new ArrayList<>();
    for (int i = 1; i < spread.lanes().size(); i++) {
      next.add(
          LaneCheckpoint.startingAt(
              LaneId.parallel(i + 1), spread.lanes().get(i), together.place()));
    }
    store.replace(together, before, next);
    return next;
  }

  private static void log(List<LaneCheckpoint> others) {
    if (others.isEmpty()) {
      return;
    }
    LOG.info(
        "{} lanes apply in parallel (ParallelApplyThreads). The order of each table's changes is"
            + " kept. A source transaction with tables of several lanes is applied in parts, and"
            + " is complete on the target when the last lane has passed it. wait, cutover and DDL"
            + " wait for all lanes",
        others.size() + 1);
    others.forEach(lane -> LOG.info("{} has {}", lane.lane(), lane.tables()));
    LOG.info("the main lane has all other tables, and those that are created from now on");
  }
}
