package dev.sluice.engine.readiness;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.ReturnToSource;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.engine.status.TaskControl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Makes the report of whether a task can be cut over now. It reads both sides and changes nothing:
 * no lock is taken for which an application could wait. Threadsafe.
 */
public final class CutoverReadiness {
  /** The time between two checks of open transactions: shorter ones delay nobody. */
  private static final Duration BETWEEN = Duration.ofSeconds(2);

  private final TaskContext context;
  private final CurrentReplication current;
  private final Live live;
  private final Clock clock;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  /** Facts of the running daemon for the report. Threadsafe. */
  public interface Live {
    /** Why no cutover can begin now, whatever the servers have; empty if one can. */
    Optional<String> refusal();

    /** How far the target is behind the source; empty if that is not known yet. */
    Optional<Duration> lag();
  }

  public CutoverReadiness(TaskContext context, CurrentReplication current, Live live, Clock clock) {
    this.context = context;
    this.current = current;
    this.live = live;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
  }

  /**
   * Makes a report; takes at least two seconds.
   *
   * @param order of the cutover that it is for
   * @throws SluiceException if the selected tables cannot be read
   */
  public CutoverReport report(CutoverOrder order) throws InterruptedException {
    Instant begun = intervals.instant();
    FindingList found = new FindingList(order.accepted());
    SourceCatalog catalog = context.source().catalog(context.config().tableMappings()::selects);
    List<TableId> tables = catalog.tables().stream().map(CatalogTable::table).toList();
    // Read first, since it may take long, and the two checks of the source's transactions should be
    // close together.
    found.read(
        "constraints of the tables",
        Weight.CHOICE,
        () -> ConstraintFindings.add(context, tables, found));
    SourceFindings source =
        new SourceFindings(context.source(), context.task(), tables, order.budget().isPresent());
    Instant looked = intervals.instant();
    live.refusal()
        .ifPresent(
            why ->
                found.add(
                    "not-replicating",
                    Weight.BLOCKER,
                    new Problem(
                        "task " + context.task(),
                        why,
                        "",
                        "Run it again when sluice status shows phase replicating")));
    Coverage coverage = new Coverage(context);
    found.read("suspended tables", Weight.BLOCKER, () -> found.add(coverage.ofSuspendedTables()));
    found.read(
        "rejected changes and tables that are not followed",
        Weight.BLOCKER,
        () -> found.add(coverage.ofChanges()));
    found.read(
        "the target's tables and sequences",
        Weight.BLOCKER,
        () -> found.add(coverage.ofDefinitions()));
    found.read("the way back", Weight.BLOCKER, () -> FallbackFindings.add(context, tables, found));
    Duration limit = context.config().taskSettings().get(SluiceSettings.VALIDATION_LAG_LIMIT);
    live.lag().ifPresent(lag -> ProofFindings.ofLag(lag, limit, order.timeout(), found));
    ProofFindings.ofValidation(
        current.get().flatMap(running -> running.validations().progress()),
        order.budget().isPresent(),
        found);
    found.read(
        "what the task makes on the target",
        Weight.CHOICE,
        () -> CompletionFindings.add(context.completionJournal().read(), found));
    found.read(
        "what does not come along",
        Weight.CHOICE,
        () -> new ObjectFindings(context, catalog).add(found));
    found.read("work of the source's server", Weight.CHOICE, () -> source.work(found));
    found.read("the source's sessions", Weight.CHOICE, () -> source.sessions(found));
    found.read("rights on the source's tables", Weight.CHOICE, () -> source.lockRights(found));
    found.read("rights to make event triggers", Weight.FACT, () -> source.ddlRefusal(found));
    Optional<Duration> budget = order.budget();
    found.read(
        "the target's sequences",
        Weight.CHOICE,
        () -> SequenceFindings.add(context, tables, found));
    if (budget.isPresent()) {
      found.read(
          "timeouts on the source", Weight.CHOICE, () -> source.timeouts(budget.get(), found));
      found.read(
          "the hooks of the cutover",
          Weight.BLOCKER,
          () -> HookFindings.add(context, budget.get(), found));
      found.read(
          "the last rehearsal",
          Weight.FACT,
          () -> RehearsalFindings.add(context, budget.get(), found));
    }
    found.read(
        "the source's open transactions",
        Weight.BLOCKER,
        () -> {
          awaitSince(looked);
          source.transactions(Duration.between(looked, intervals.instant()), found);
        });
    return report(begun, order.accepted(), found);
  }

  /** The report of a task that is cut over; no-go if the applications are at the source again. */
  public CutoverReport cutOver() throws InterruptedException {
    Instant begun = intervals.instant();
    FindingList found = new FindingList(Set.of());
    found.read(
        "whether the applications were brought back to the source",
        Weight.BLOCKER,
        () ->
            ReturnToSource.of(context)
                .ifPresentOrElse(
                    back -> found.add("brought-back", Weight.BLOCKER, back.problem(context)),
                    () -> found.add("cut-over", Weight.FACT, cutOverAlready())));
    return report(begun, Set.of(), found);
  }

  private Problem cutOverAlready() {
    return new Problem(
        "task " + context.task(),
        "is cut over already: the target is the database to use",
        "",
        "Nothing is needed; sluice status shows whether the source is still written to");
  }

  /**
   * Why a cutover with accepted choices must not begin; empty if it may.
   *
   * @throws SluiceException if the selected tables cannot be read
   */
  public Optional<TaskControl.Outcome> refusal(CutoverOrder order) throws InterruptedException {
    CutoverReport report = report(order);
    return report.go()
        ? Optional.empty()
        : Optional.of(
            new TaskControl.Outcome(
                false,
                report.seconds(),
                "not begun, and nothing is changed: there are blockers, or choices that are not"
                    + " accepted. sluice cutover --dry-run has the whole report:",
                Stream.of(Weight.BLOCKER, Weight.CHOICE)
                    .flatMap(weight -> report.open(weight).stream())
                    .map(CutoverReadiness::line)
                    .toList()));
  }

  private static String line(CutoverReport.Finding finding) {
    return "%s %s: %s: %s. %s"
        .formatted(
            finding.weight(), finding.kind(), finding.thing(), finding.found(), finding.fix());
  }

  private CutoverReport report(Instant begun, Set<String> accepted, FindingList found) {
    List<CutoverReport.Finding> findings = found.sorted();
    boolean go =
        findings.stream()
            .allMatch(finding -> finding.accepted() || finding.weight().equals(Weight.FACT.text()));
    return new CutoverReport(
        context.task(),
        go,
        clock.instant().truncatedTo(ChronoUnit.SECONDS),
        Duration.between(begun, intervals.instant()).toMillis() / 1000.0,
        List.copyOf(new TreeSet<>(accepted)),
        findings);
  }

  private void awaitSince(Instant looked) throws InterruptedException {
    Duration left = BETWEEN.minus(Duration.between(looked, intervals.instant()));
    if (!left.isNegative()) {
      // The message has complete seconds only.
      Thread.sleep(left.toMillis() + 1);
    }
  }
}
