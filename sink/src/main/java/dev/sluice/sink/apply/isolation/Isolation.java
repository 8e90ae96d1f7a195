package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorPolicies;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlans;
import dev.sluice.sink.apply.round.DeferredViolations;
import dev.sluice.sink.apply.round.RoundApply;
import dev.sluice.sink.apply.round.SuspendedDefinitions;
import dev.sluice.sink.apply.round.Truncation;
import dev.sluice.sink.control.report.ErrorKind;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.replay.PositionedChange;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.CapturedChangesBuilder;
import dev.sluice.sink.window.TableErrors;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/*
 * Why the changes are halved, and not the net changes or the keys: a run of changes in source order
 * is a round, so the rule of the three phases holds for it, and after it the target is, but for what
 * was left out, as the source was at that change. Each run is applied in a savepoint of its own; one
 * that fails is taken back and its halves are tried. A run of one change that fails is a change that
 * the target does not take.
 *
 * What can only be acted on from the beginning of the window (a table is suspended from a
 * transaction's first change on; a deferrable constraint is broken at the end) ends the pass, and
 * the next one begins knowing it.
 */
/**
 * One pass over the uncompacted changes of a window that failed as a whole: applies all that can be
 * applied and does with the rest what the policies say. Runs inside a transaction that others open
 * and end, in memory that the window's size does not matter to. Owned by the apply thread; single
 * use.
 */
public final class Isolation {
  /** Bounds what is held of the window, and what a failing change makes be repeated. */
  private static final int RUN_CHANGES = 4096;

  private static final long RUN_BYTES = 8 * 1024 * 1024;

  private final ApplySession session;
  private final TablePlans plans;
  private final ErrorPolicies policies;
  private final SuspensionFilter passedOver;
  private final IsolationFindings verdicts;
  private final RejectedChangeWriter leftOut;
  private final AppliedCounts counts = new AppliedCounts();
  private final CapturedChangesBuilder captured = new CapturedChangesBuilder();
  private final long statementsBefore;

  private final DeferredViolations culprits;
  private final SavepointRuns runs;
  private final RejectionPolicy refused;

  /** By table, the shape that its rows have in the run. */
  private final Map<TableId, RowSchema> shapes = new HashMap<>();

  private List<NumberedChange> run = new ArrayList<>();
  private long runBytes;

  /**
   * @param suspended tables that were suspended before the window
   * @param verdicts what earlier passes over the window found
   * @param tuning of the window; runs are compacted also where the window is not
   */
  public Isolation(
      ApplySession session,
      TablePlans plans,
      RoundApply rounds,
      ErrorPolicies policies,
      Set<TableId> suspended,
      IsolationFindings verdicts,
      RejectedChangeWriter leftOut,
      WindowTuning tuning) {
    this.session = session;
    this.plans = plans;
    this.policies = policies;
    this.passedOver = new SuspensionFilter(suspended, verdicts);
    this.verdicts = verdicts;
    this.leftOut = leftOut;
    this.culprits = new DeferredViolations(session);
    this.runs = new SavepointRuns(session, plans, rounds, culprits, counts, tuning.compacting());
    this.refused = new RejectionPolicy(policies, runs, leftOut, verdicts, passedOver, counts);
    this.statementsBefore = session.statements();
  }

  /**
   * Goes over the window.
   *
   * @return what was done; empty where the transaction is to be rolled back and another pass begun
   * @throws SluiceException.Data where the policy for an error is to stop
   * @throws SluiceException.Fatal where the policy for a table error is to stop
   */
  public Optional<AppliedWindow> apply(ChangeReplay.Changes changes) {
    try {
      long number = 0;
      for (PositionedChange placed = changes.next(); placed != null; placed = changes.next()) {
        take(new NumberedChange(number++, placed));
      }
      applyRun();
      beginAgainWithout(culprits.find());
    } catch (IsolationFindings.Again e) {
      return Optional.empty();
    }
    leftOut.addSuspensions(verdicts.suspensions().values(), counts);
    leftOut.flush();
    return Optional.of(counts.applied(session.statements() - statementsBefore, captured.build()));
  }

  public AppliedCounts counts() {
    return counts;
  }

  private void take(NumberedChange numbered) {
    PositionedChange placed = numbered.placed();
    captured.count(placed.event());
    if (placed.event() instanceof RowChange change) {
      if (passedOver.has(change.schema().table(), placed)) {
        counts.add(change.schema().table(), new TableErrors(0, 0, 1));
        return;
      }
      String reason = verdicts.whyLeftOut(numbered.number());
      if (reason != null) {
        applyRun();
        refused.leaveOut(numbered, ErrorKind.of(change, ""), "", reason);
        return;
      }
      beginShape(change.schema());
      runBytes += bytes(change.match()) + bytes(change.row());
      run.add(numbered);
    } else if (placed.event() instanceof Truncate truncate) {
      List<Emptied> left =
          truncate.tables().stream()
              .filter(emptied -> !passedOver.has(emptied.table(), placed))
              .toList();
      Truncation.refuseWhereAsked(policies, left, placed.transaction().position());
      if (!left.isEmpty()) {
        run.add(numbered.with(new Truncate(left)));
      }
    } else if (placed.event() instanceof Definition definition) {
      takeDefinition(numbered, definition);
    } else if (!(placed.event() instanceof Message)) {
      throw new IllegalStateException("BUG: no way to apply " + placed.event().getClass());
    }
    if (run.size() >= RUN_CHANGES || runBytes >= RUN_BYTES) {
      applyRun();
    }
  }

  /** In a run a table has one shape: what is halved, or looked at again, must not be of two. */
  private void beginShape(RowSchema schema) {
    RowSchema before = shapes.put(schema.table(), schema);
    if (before != null && before.fingerprint() != schema.fingerprint()) {
      applyRun();
      beginAgainWithout(culprits.find(Set.of(plans.target(schema.table()))));
    }
  }

  /** DDL is a run of its own. */
  private void takeDefinition(NumberedChange numbered, Definition definition) {
    List<DefinitionChange> left;
    try {
      left =
          SuspendedDefinitions.others(
              definition.changes().changes(), table -> passedOver.has(table, numbered.placed()));
    } catch (SluiceException.Table e) {
      applyRun();
      List<DefinitionChange> failing =
          definition.changes().changes().stream()
              .filter(change -> change.rowsAfter().filter(e.table()::equals).isPresent())
              .toList();
      refused.leaveTableOut(List.of(numbered.with(only(failing, definition))), e);
      return;
    }
    if (left.isEmpty()) {
      return;
    }
    applyRun();
    beginAgainWithout(culprits.find(plans.altered(left)));
    apply(List.of(numbered.with(only(left, definition))));
  }

  private static Definition only(List<DefinitionChange> some, Definition definition) {
    return new Definition(definition.changes().only(some));
  }

  private void beginAgainWithout(Map<Long, String> culpritsFound) {
    if (!culpritsFound.isEmpty()) {
      culpritsFound.forEach(verdicts::leaveOut);
      throw new IsolationFindings.Again();
    }
  }

  private void applyRun() {
    List<NumberedChange> taken = run;
    run = new ArrayList<>();
    runBytes = 0;
    apply(taken);
  }

  private void apply(List<NumberedChange> changes) {
    if (changes.isEmpty()) {
      return;
    }
    Optional<SluiceException> failure = runs.attempt(changes);
    if (failure.isEmpty()) {
      return;
    }
    if (failure.get() instanceof SluiceException.Table error) {
      refused.leaveTableOut(changes, error);
    } else if (changes.size() > 1) {
      int half = changes.size() / 2;
      apply(changes.subList(0, half));
      apply(changes.subList(half, changes.size()));
    } else {
      refused.judge(changes.get(0), failure.get());
    }
  }

  private static long bytes(Row row) {
    return row == null ? 0 : row.retainedBytes();
  }
}
