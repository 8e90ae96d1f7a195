package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorPolicies;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.control.report.ErrorKind;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.window.TableErrors;
import java.util.List;

/**
 * The changes that the target does not take: does with each what the policies say. Owned by the
 * apply thread; one for each pass over a window.
 */
final class RejectionPolicy {
  private final ErrorPolicies policies;
  private final SavepointRuns runs;
  private final RejectedChangeWriter leftOut;
  private final IsolationFindings verdicts;
  private final SuspensionFilter passedOver;
  private final AppliedCounts counts;

  RejectionPolicy(
      ErrorPolicies policies,
      SavepointRuns runs,
      RejectedChangeWriter leftOut,
      IsolationFindings verdicts,
      SuspensionFilter passedOver,
      AppliedCounts counts) {
    this.policies = policies;
    this.runs = runs;
    this.leftOut = leftOut;
    this.verdicts = verdicts;
    this.passedOver = passedOver;
    this.counts = counts;
  }

  /**
   * Decides about one change, and applies it as the other operation or leaves it out.
   *
   * @throws IsolationFindings.Again where its table is to be suspended
   * @throws SluiceException.Data where the task is to stop
   */
  void judge(NumberedChange one, SluiceException failure) {
    String state = TargetErrors.stateOf(failure);
    if (!(one.event() instanceof RowChange change)) {
      boolean ofTable = one.event() instanceof Definition || state.startsWith("42");
      leaveOut(one, ofTable ? ErrorKind.TABLE : ErrorKind.DATA, state, failure.getMessage());
      return;
    }
    ErrorKind kind = ErrorKind.of(change, state);
    if (!isAppliedAsTheOther(one, change, kind, state)) {
      leaveOut(one, kind, state, failure.getMessage());
    }
  }

  /** INSERT_RECORD and UPDATE_RECORD. */
  private boolean isAppliedAsTheOther(
      NumberedChange one, RowChange change, ErrorKind kind, String state) {
    ErrorAction action = kind.action(policies);
    RowChange other;
    if (action == ErrorAction.INSERT_RECORD && change.schema().hasKey()) {
      other = new RowChange(change.schema(), change.schema().matchOf(change.row()), change.row());
    } else if (action == ErrorAction.UPDATE_RECORD
        && state.isEmpty()
        && !change.row().hasUnchanged()
        && runs.matchesOneAtMost(change.schema())) {
      other = new RowChange(change.schema(), null, change.row());
    } else {
      return false;
    }
    if (runs.attempt(List.of(one.with(other))).isPresent()) {
      return false;
    }
    counts.add(change.schema().table(), new TableErrors(0, 1, 0));
    return true;
  }

  /**
   * Leaves out the first of these changes that concerns the table that cannot be applied to.
   *
   * @throws IsolationFindings.Again where the table is to be suspended
   * @throws SluiceException.Fatal where the task is to stop
   */
  void leaveTableOut(List<NumberedChange> changes, SluiceException.Table error) {
    if (policies.table() == ErrorAction.STOP_TASK) {
      throw new SluiceException.Fatal(error.problems());
    }
    for (NumberedChange each : changes) {
      if (concerns(each.event(), error.table())) {
        leaveOut(each, ErrorKind.TABLE, "", error.getMessage());
        return;
      }
    }
    throw new IllegalStateException("BUG: no change of " + error.table() + " where it failed");
  }

  private static boolean concerns(ChangeEvent event, TableId table) {
    return event instanceof RowChange change
        ? change.schema().table().equals(table)
        : RejectedChangeWriter.tablesOf(event).contains(table);
  }

  /**
   * Leaves a change out.
   *
   * @param state the SQLSTATE; empty where the target raised no error
   * @throws IsolationFindings.Again where its table is to be suspended
   * @throws SluiceException.Data where the task is to stop
   */
  void leaveOut(NumberedChange one, ErrorKind kind, String state, String error) {
    List<TableId> tables =
        RejectedChangeWriter.tablesOf(one.event()).stream()
            .filter(table -> !passedOver.has(table, one.placed()))
            .toList();
    List<IsolationFindings.Suspension> suspensions =
        leftOut.add(one.placed(), tables, kind, state, error, counts);
    if (!suspensions.isEmpty()) {
      suspensions.forEach(verdicts::suspend);
      throw new IsolationFindings.Again();
    }
  }
}
