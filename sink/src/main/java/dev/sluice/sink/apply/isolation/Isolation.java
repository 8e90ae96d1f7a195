package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.TablePlans;
import dev.sluice.sink.apply.round.DeferredViolations;
import dev.sluice.sink.apply.round.SuspendedDefinitions;
import dev.sluice.sink.apply.round.Truncation;
import dev.sluice.sink.control.report.ErrorKind;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.replay.PositionedChange;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.CapturedChangesBuilder;
import dev.sluice.sink.window.TableErrors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/*
 * Changes are split in source order, not net changes or keys. A run of changes in source order is a
 * round, so the three phases are correct for it: after it the target is as the source was at that
 * change, except for rejected changes. Each run is applied in its own savepoint. A run that fails is
 * rolled back and its two halves are tried. If a run of one change fails, that change is rejected.
 *
 * Two findings require a new pass from the beginning of the window: a table that is suspended (from
 * the first change of its transaction on) and a deferrable constraint that is violated at the end.
 */
/**
 * Applies the uncompacted changes of a rejected window: one pass over them. Changes that fail are
 * handled by the error policies. Runs inside the caller's transaction; its memory does not depend
 * on the window's size. Owned by the apply thread; single use.
 */
public final class Isolation {
  /** Limits the memory of a run and the work that is repeated after a failing change. */
  private static final int RUN_CHANGES = 4096;

  private static final long RUN_BYTES = 8 * 1024 * 1024;

  private final TaskSettings settings;
  private final SuspensionFilter suspensionFilter;
  private final IsolationFindings findings;
  private final RejectedChangeWriter rejections;
  private final CapturedChangesBuilder captured = new CapturedChangesBuilder();
  private final SavepointRuns runs;
  private final TablePlans plans;
  private final AppliedCounts counts;
  private final DeferredViolations violations;
  private final RejectionPolicy policy;
  private final long statementsBefore;

  /** The row schema of each table in the current run. */
  private final Map<TableId, RowSchema> shapes = new HashMap<>();

  private List<NumberedChange> run = new ArrayList<>();
  private long runBytes;

  /**
   * @param runs apply its changes; of this pass only
   * @param suspended tables that were suspended before the window
   * @param findings what earlier passes over the window found
   */
  public Isolation(
      SavepointRuns runs,
      TaskSettings settings,
      Set<TableId> suspended,
      IsolationFindings findings,
      RejectedChangeWriter rejections) {
    this.runs = runs;
    this.plans = runs.plans();
    this.counts = runs.counts();
    this.violations = runs.violations();
    this.settings = settings;
    this.suspensionFilter = new SuspensionFilter(suspended, findings);
    this.findings = findings;
    this.rejections = rejections;
    this.policy = new RejectionPolicy(settings, runs, rejections, findings, suspensionFilter);
    this.statementsBefore = runs.statements();
  }

  /**
   * Applies the window.
   *
   * @return the result; empty if the caller must roll back and start another pass
   * @throws SluiceException.Data if the policy for an error is to stop
   * @throws SluiceException.Fatal if the policy for a table error is to stop
   */
  public Optional<AppliedWindow> apply(ChangeReplay.Changes changes) {
    try {
      long number = 0;
      for (PositionedChange placed = changes.next(); placed != null; placed = changes.next()) {
        take(new NumberedChange(number++, placed));
      }
      applyRun();
      requireNoViolations(violations.find());
    } catch (IsolationFindings.Again e) {
      return Optional.empty();
    }
    rejections.addSuspensions(findings.suspensions().values(), counts);
    rejections.flush();
    return Optional.of(counts.applied(runs.statements() - statementsBefore, captured.build()));
  }

  public AppliedCounts counts() {
    return counts;
  }

  private void take(NumberedChange numbered) {
    PositionedChange placed = numbered.placed();
    captured.count(placed.event());
    if (placed.event() instanceof RowChange change) {
      if (suspensionFilter.has(change.schema().table(), placed)) {
        counts.add(change.schema().table(), new TableErrors(0, 0, 1));
        return;
      }
      String reason = findings.rejectionReason(numbered.number());
      if (reason != null) {
        applyRun();
        policy.reject(numbered, ErrorKind.of(change, Optional.empty()), "", reason);
        return;
      }
      beginShape(change.schema());
      runBytes += bytes(change.match()) + bytes(change.row());
      run.add(numbered);
    } else if (placed.event() instanceof Truncate truncate) {
      List<Emptied> left =
          truncate.tables().stream()
              .filter(emptied -> !suspensionFilter.has(emptied.table(), placed))
              .toList();
      Truncation.refuseWhereAsked(settings, left, placed.transaction().position());
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

  /** Ends the run if the table's row schema changes: a run has one schema for each table. */
  private void beginShape(RowSchema schema) {
    RowSchema before = shapes.put(schema.table(), schema);
    if (before != null && before.fingerprint() != schema.fingerprint()) {
      applyRun();
      requireNoViolations(violations.find(Set.of(plans.target(schema.table()))));
    }
  }

  /** Applies DDL as a run of its own. */
  private void takeDefinition(NumberedChange numbered, Definition definition) {
    List<DefinitionChange> left;
    try {
      left =
          SuspendedDefinitions.others(
              definition.changes().changes(),
              table -> suspensionFilter.has(table, numbered.placed()));
    } catch (SluiceException.Table e) {
      applyRun();
      List<DefinitionChange> failing =
          definition.changes().changes().stream()
              .filter(change -> change.rowsAfter().filter(e.table()::equals).isPresent())
              .toList();
      policy.rejectForTable(List.of(numbered.with(only(failing, definition))), e);
      return;
    }
    if (left.isEmpty()) {
      return;
    }
    applyRun();
    requireNoViolations(violations.find(plans.altered(left)));
    apply(List.of(numbered.with(only(left, definition))));
  }

  private static Definition only(List<DefinitionChange> some, Definition definition) {
    return new Definition(definition.changes().only(some));
  }

  private void requireNoViolations(Map<Long, String> violating) {
    if (!violating.isEmpty()) {
      violating.forEach(findings::reject);
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
      policy.rejectForTable(changes, error);
    } else if (changes.size() > 1) {
      int half = changes.size() / 2;
      apply(changes.subList(0, half));
      apply(changes.subList(half, changes.size()));
    } else {
      policy.judge(changes.get(0), failure.get());
    }
  }

  private static long bytes(Row row) {
    return row == null ? 0 : row.retainedBytes();
  }
}
