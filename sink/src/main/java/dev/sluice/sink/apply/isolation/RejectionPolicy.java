package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.control.report.ErrorKind;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.window.TableErrors;
import java.util.List;
import java.util.Optional;

/**
 * Handles each change that the target rejects as the error policies say. Owned by the apply thread;
 * one for each pass over a window.
 */
final class RejectionPolicy {
  private final TaskSettings settings;
  private final SavepointRuns runs;
  private final RejectedChangeWriter rejections;
  private final IsolationFindings findings;
  private final SuspensionFilter suspensionFilter;
  private final AppliedCounts counts;

  RejectionPolicy(
      TaskSettings settings,
      SavepointRuns runs,
      RejectedChangeWriter rejections,
      IsolationFindings findings,
      SuspensionFilter suspensionFilter) {
    this.settings = settings;
    this.runs = runs;
    this.rejections = rejections;
    this.findings = findings;
    this.suspensionFilter = suspensionFilter;
    this.counts = runs.counts();
  }

  /**
   * Handles a change that failed: applies it as the other operation (INSERT or UPDATE), or rejects
   * it.
   *
   * @throws IsolationFindings.Again if its table is to be suspended
   * @throws SluiceException.Data if the policy is to stop
   */
  void judge(NumberedChange one, SluiceException failure) {
    String state = TargetErrors.stateOf(failure);
    Optional<TargetFault> fault = runs.faultOf(failure);
    if (!(one.event() instanceof RowChange change)) {
      boolean ofTable =
          one.event() instanceof Definition
              || fault.filter(found -> found == TargetFault.BAD_NAME).isPresent();
      reject(one, ofTable ? ErrorKind.TABLE : ErrorKind.DATA, state, failure.getMessage());
      return;
    }
    ErrorKind kind = ErrorKind.of(change, fault);
    if (!appliedAsOtherOperation(one, change, kind, state)) {
      reject(one, kind, state, failure.getMessage());
    }
  }

  /** Tries the policies INSERT_RECORD and UPDATE_RECORD; true if the change was applied so. */
  private boolean appliedAsOtherOperation(
      NumberedChange one, RowChange change, ErrorKind kind, String state) {
    ErrorAction action = settings.get(kind.policy());
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
   * Rejects the first of these changes that belongs to the table with the table error.
   *
   * @throws IsolationFindings.Again if the table is to be suspended
   * @throws SluiceException.Fatal if the policy is to stop
   */
  void rejectForTable(List<NumberedChange> changes, SluiceException.Table error) {
    if (settings.get(ErrorBehavior.TABLE_ERROR_POLICY) == ErrorAction.STOP_TASK) {
      throw new SluiceException.Fatal(error.problems());
    }
    for (NumberedChange each : changes) {
      if (concerns(each.event(), error.table())) {
        reject(each, ErrorKind.TABLE, "", error.getMessage());
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
   * Rejects a change.
   *
   * @param state the SQLSTATE; empty if the target raised no error
   * @throws IsolationFindings.Again if its table is to be suspended
   * @throws SluiceException.Data if the policy is to stop
   */
  void reject(NumberedChange one, ErrorKind kind, String state, String error) {
    List<TableId> tables =
        RejectedChangeWriter.tablesOf(one.event()).stream()
            .filter(table -> !suspensionFilter.has(table, one.placed()))
            .toList();
    List<IsolationFindings.Suspension> suspensions =
        rejections.add(one.placed(), tables, kind, state, error, counts);
    if (!suspensions.isEmpty()) {
      suspensions.forEach(findings::suspend);
      throw new IsolationFindings.Again();
    }
  }
}
