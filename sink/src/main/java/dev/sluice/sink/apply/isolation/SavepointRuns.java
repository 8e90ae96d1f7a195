package dev.sluice.sink.apply.isolation;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.plan.TablePlans;
import dev.sluice.sink.apply.round.DeferredViolations;
import dev.sluice.sink.apply.round.RoundApply;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.RoundCutter;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Applies runs of consecutive changes, each in its own savepoint, with all rows as text. Owned by
 * the apply thread; used for one pass over a window.
 */
public final class SavepointRuns {
  private final ApplySession session;
  private final TablePlans plans;
  private final RoundApply rounds;
  private final DeferredViolations violations;
  private final AppliedCounts counts = new AppliedCounts();
  private final WindowTuning tuning;

  /**
   * @param tuning settings of the window; runs are compacted even if the window is not
   */
  public SavepointRuns(
      ApplySession session, TablePlans plans, RoundApply rounds, WindowTuning tuning) {
    session.textOnly().addAllInWindow();
    this.session = session;
    this.plans = plans;
    this.rounds = rounds;
    this.violations = new DeferredViolations(session);
    this.tuning = tuning.compacting();
  }

  /** What was applied and not rolled back. */
  AppliedCounts counts() {
    return counts;
  }

  /** The rows that were inserted into tables with deferrable constraints. */
  DeferredViolations violations() {
    return violations;
  }

  TablePlans plans() {
    return plans;
  }

  /** How many statements the session has executed, since it was opened. */
  long statements() {
    return session.statements();
  }

  /**
   * Applies a run of changes. After a failure the target is as before the run.
   *
   * @return the failure; empty if the run was applied
   * @throws SluiceException.Fatal if a single change contradicts the changes before it
   */
  Optional<SluiceException> attempt(List<NumberedChange> changes) {
    List<Round> cut;
    try {
      cut = roundsOf(changes);
    } catch (SluiceException.Fatal e) {
      if (changes.size() == 1) {
        throw e;
      }
      // These changes may depend on a rejected one. One by one, each is checked alone.
      return Optional.of(e);
    }
    AppliedCounts done = new AppliedCounts();
    session.beginRun();
    try {
      for (Round round : cut) {
        rounds.apply(round, changes.size() == 1, done);
      }
    } catch (SluiceException.Data | SluiceException.Table e) {
      session.rollBackRun();
      plans.rolledBack();
      return Optional.of(e);
    }
    session.keepRun();
    plans.kept();
    counts.add(done);
    noteDeferred(changes);
    return Optional.empty();
  }

  /** What the target's error behind a failure means; empty if the target raised none. */
  Optional<TargetFault> faultOf(SluiceException failure) {
    return session.connection().errors().faultOf(failure);
  }

  private List<Round> roundsOf(List<NumberedChange> changes) {
    List<Round> cut = new ArrayList<>();
    RoundCutter cutter = new RoundCutter(tuning);
    for (NumberedChange each : changes) {
      Round ended = cutter.add(each.event());
      if (ended != null) {
        cut.add(ended);
      }
    }
    Round last = cutter.finish();
    if (last != null) {
      cut.add(last);
    }
    return cut;
  }

  private void noteDeferred(List<NumberedChange> changes) {
    Map<RowSchema, Optional<TablePlan>> applied = new HashMap<>();
    Map<TablePlan, List<Row>> rows = new HashMap<>();
    Map<TablePlan, List<Long>> numbers = new HashMap<>();
    for (NumberedChange each : changes) {
      if (each.event() instanceof RowChange change && change.row() != null) {
        TablePlan plan = applied.computeIfAbsent(change.schema(), plans::applied).orElse(null);
        if (plan != null && violations.concern(plan)) {
          rows.computeIfAbsent(plan, key -> new ArrayList<>())
              .add(plan.schema().matchOf(change.row()));
          numbers.computeIfAbsent(plan, key -> new ArrayList<>()).add(each.number());
        }
      }
    }
    rows.forEach((plan, put) -> violations.note(plan, put, numbers.get(plan)));
  }

  /** Adapts the target table to the rows, checks it, and rolls that back. */
  boolean matchesOneAtMost(RowSchema schema) {
    boolean matches;
    session.beginRun();
    try {
      matches = plans.plan(schema, new AppliedCounts()).matchesOneAtMost();
    } catch (SluiceException.Data | SluiceException.Table e) {
      matches = false;
    }
    session.rollBackRun();
    plans.rolledBack();
    return matches;
  }
}
