package dev.sluice.engine.validate.session;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.SideForm;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.engine.validate.session.BothSides.Both;
import dev.sluice.engine.validate.session.SessionFindings.Obstacle;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Compares tables of both sides exactly while data flows. The source is read under an ordinary
 * snapshot, which knows the transactions that it shows. Then the target is read under a snapshot of
 * its own, once its checkpoint has reached the end that the source's log had. So the target shows
 * all that the source shows, and some later transactions. The keys of these are left out. A target
 * without snapshots is read as it is; rows that differ are checked again against the changes that
 * came until they were read. Used by one thread at a time; holds nothing between sessions.
 */
public final class ComparisonSession {
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(3);

  private final ComparisonSource source;
  private final ComparisonTarget target;
  private final TableMappings mappings;
  private final JournalKeys journal;
  private final Consumer<Position> windowEnd;
  private final SessionLimits limits;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param windowEnd writes a transactional message into the source's log that closes the open
   *     window, so that the target need not wait for the window's time; it is given the position of
   *     the source's snapshot
   */
  public ComparisonSession(
      ComparisonSource source,
      ComparisonTarget target,
      TableMappings mappings,
      JournalKeys journal,
      Consumer<Position> windowEnd,
      SessionLimits limits) {
    this.source = source;
    this.target = target;
    this.mappings = mappings;
    this.journal = journal;
    this.windowEnd = windowEnd;
    this.limits = limits;
  }

  /**
   * Compares as much of the plans as the session's time allows, in their order.
   *
   * @param checkpoint of the lane that all the tables belong to
   * @throws dev.sluice.config.document.SluiceException.Retryable if a server is not reachable
   */
  public SessionFindings run(CheckpointQuery checkpoint, List<ComparisonPlan> plans)
      throws InterruptedException {
    // The target's sessions first: the source's snapshot lives from the moment it is taken.
    try (TargetView onTarget = target.open(limits.life().plus(limits.checkpointTimeout()));
        SourceView onSource = source.open(limits.life())) {
      SessionTime time = SessionTime.starting(limits.life());
      try {
        return run(checkpoint, plans, onSource, onTarget, time);
      } catch (NotReadable e) {
        return SessionFindings.none(Obstacle.Kind.NOT_READABLE, e.getMessage());
      } finally {
        journal.shown(onSource.visibleTransactions());
      }
    }
  }

  /**
   * A session that knows nothing of what the target applies: for a target that somebody else keeps
   * equal, or nobody.
   */
  public static ComparisonSession withoutJournal(
      ComparisonSource source,
      ComparisonTarget target,
      TableMappings mappings,
      SessionLimits limits) {
    return new ComparisonSession(source, target, mappings, new NoJournal(), any -> {}, limits);
  }

  /**
   * Compares both sides as two snapshots show them, one taken right after the other: a row that is
   * written meanwhile may differ in them. Equal rows are equal; the target's position is unknown,
   * and 0/0 in the proof.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if a server is not reachable
   */
  public SessionFindings runAsTheyAre(List<ComparisonPlan> plans) throws InterruptedException {
    try (TargetView onTarget = target.open(limits.life());
        SourceView onSource = source.open(limits.life())) {
      SessionTime time = SessionTime.starting(limits.life());
      try {
        onTarget.takeSnapshot();
        return compare(onSource, onTarget, plans, Position.ZERO, time);
      } catch (NotReadable e) {
        return SessionFindings.none(Obstacle.Kind.NOT_READABLE, e.getMessage());
      }
    }
  }

  /**
   * Asks the source's catalog how it has the table of a plan now, for {@link #targetRows}.
   *
   * @throws NotReadable if it is not there
   */
  public SideTable sourceTable(ComparisonPlan plan) {
    try (SourceView onSource = source.open(limits.life())) {
      return onSource.table(plan.table()).orElseThrow(() -> TargetRows.gone(plan.table()));
    }
  }

  /**
   * Opens the sessions that read rows of the plan's table as the target has them.
   *
   * @param onSource the source's table
   * @param life how long they may be used
   */
  public TargetRows targetRows(ComparisonPlan plan, SideTable onSource, Duration life) {
    return new TargetRows(target.open(life), plan, mappings, onSource);
  }

  private SessionFindings run(
      CheckpointQuery checkpoint,
      List<ComparisonPlan> plans,
      SourceView onSource,
      TargetView onTarget,
      SessionTime time)
      throws InterruptedException {
    Optional<String> early = journal.obstacle(onSource.visibleTransactions());
    if (early.isPresent()) {
      return SessionFindings.none(Obstacle.Kind.TOO_EARLY, early.get());
    }
    Position wanted = onSource.position();
    windowEnd.accept(wanted);
    Optional<Position> reached =
        Polling.every(CHECKPOINT_INTERVAL)
            .until(
                limits.checkpointTimeout(),
                () -> onTarget.takeSnapshot(checkpoint),
                found -> found.isEmpty() || !wanted.isAfter(found.get()));
    if (reached.isEmpty()) {
      return SessionFindings.none(
          Obstacle.Kind.NO_CHECKPOINT, "the target has no checkpoint of the task's lane");
    }
    if (wanted.isAfter(reached.get())) {
      return SessionFindings.none(
          Obstacle.Kind.LAGGING,
          "the target is at %s, and did not reach %s within %d ms"
              .formatted(reached.get(), wanted, limits.checkpointTimeout().toMillis()));
    }
    return compare(onSource, onTarget, plans, reached.get(), time);
  }

  private SessionFindings compare(
      SourceView onSource,
      TargetView onTarget,
      List<ComparisonPlan> plans,
      Position reached,
      SessionTime time)
      throws InterruptedException {
    try (BothSides sides = new BothSides(onSource, onTarget, limits.lanes())) {
      return compare(sides, plans, reached, time);
    }
  }

  private SessionFindings compare(
      BothSides sides, List<ComparisonPlan> plans, Position reached, SessionTime time)
      throws InterruptedException {
    HashSeeds seeds = HashSeeds.random(random);
    Both<SideForm, SideForm> forms =
        sides.ask(() -> sides.source().form(seeds), () -> sides.target().form(seeds));
    if (!forms.source().printed().equals(forms.target().printed())) {
      return SessionFindings.none(
          Obstacle.Kind.UNLIKE_SIDES,
          "the two servers print values differently: the source %s, the target %s"
              .formatted(forms.source().printed(), forms.target().printed()));
    }
    Proof proof =
        new Proof(
            sides.source().position(),
            sides.source().visibleTransactions(),
            reached,
            RowHash.of(seeds, forms.source(), forms.target()));
    SnapshotComparison comparison =
        new SnapshotComparison(sides, mappings, journal, limits, time, proof);
    List<TableFindings> findings = new ArrayList<>();
    int keys = limits.touchedKeys();
    for (ComparisonPlan plan : plans) {
      // Of a table that was not tried nothing is known, also not that it cannot be read.
      if (time.isOver(1) || sides.target().isOver()) {
        break;
      }
      int most = Math.min(keys, plan.touched().size());
      findings.add(comparison.of(plan, most));
      keys -= most;
    }
    return new SessionFindings(
        Optional.empty(),
        Optional.of(proof),
        IntStream.range(0, findings.size())
            .mapToObj(i -> comparison.orVoid(findings.get(i), plans.get(i)))
            .toList());
  }
}
