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
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.RoundCutter;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Applies runs of neighbouring changes, each in a savepoint of its own. Owned by the apply thread;
 * used for one pass over a window.
 */
final class SavepointRuns {
  private final ApplySession session;
  private final TablePlans plans;
  private final RoundApply rounds;
  private final DeferredViolations culprits;
  private final AppliedCounts counts;
  private final WindowTuning tuning;

  /**
   * @param culprits told of the rows that went into tables with deferrable constraints
   * @param counts told of what was done and not taken back
   */
  SavepointRuns(
      ApplySession session,
      TablePlans plans,
      RoundApply rounds,
      DeferredViolations culprits,
      AppliedCounts counts,
      WindowTuning tuning) {
    this.session = session;
    this.plans = plans;
    this.rounds = rounds;
    this.culprits = culprits;
    this.counts = counts;
    this.tuning = tuning;
  }

  /**
   * Applies changes as rounds; where that fails, the target is as before.
   *
   * @return the failure
   * @throws SluiceException.Fatal where one change alone does not fit those before it
   */
  Optional<SluiceException> attempt(List<NumberedChange> changes) {
    List<Round> cut;
    try {
      cut = roundsOf(changes);
    } catch (SluiceException.Fatal e) {
      if (changes.size() == 1) {
        throw e;
      }
      // What was left out before may be what these changes rest on: one by one they need not fit.
      return Optional.of(e);
    }
    AppliedCounts done = new AppliedCounts();
    session.beginRun();
    try {
      for (Round round : cut) {
        rounds.apply(round, changes.size() == 1, done);
      }
    } catch (SluiceException.Data | SluiceException.Table e) {
      session.takeBackRun();
      plans.takenBack();
      return Optional.of(e);
    }
    session.keepRun();
    plans.kept();
    counts.add(done);
    noteDeferred(changes);
    return Optional.empty();
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
        if (plan != null && culprits.concern(plan)) {
          rows.computeIfAbsent(plan, key -> new ArrayList<>())
              .add(plan.schema().matchOf(change.row()));
          numbers.computeIfAbsent(plan, key -> new ArrayList<>()).add(each.number());
        }
      }
    }
    rows.forEach((plan, put) -> culprits.note(plan, put, numbers.get(plan)));
  }

  /** Looks at the table as it is once it is adapted to the rows, and leaves it as it was. */
  boolean matchesOneAtMost(RowSchema schema) {
    boolean matches;
    session.beginRun();
    try {
      matches = plans.plan(schema, new AppliedCounts()).matchesOneAtMost();
    } catch (SluiceException.Data | SluiceException.Table e) {
      matches = false;
    }
    session.takeBackRun();
    plans.takenBack();
    return matches;
  }
}
