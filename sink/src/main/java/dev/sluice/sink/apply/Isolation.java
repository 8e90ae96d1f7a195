package dev.sluice.sink.apply;

import dev.sluice.config.ErrorAction;
import dev.sluice.config.ErrorPolicies;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.sink.checkpoint.ErrorKind;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.replay.PlacedChange;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.CapturedChangesBuilder;
import dev.sluice.sink.window.Round;
import dev.sluice.sink.window.RoundCutter;
import dev.sluice.sink.window.TableErrors;
import dev.sluice.sink.window.WindowTuning;
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
final class Isolation {
  /** Bounds what is held of the window, and what a failing change makes be repeated. */
  private static final int RUN_CHANGES = 4096;

  private static final long RUN_BYTES = 8 * 1024 * 1024;

  /** A change with its number in the window. */
  private record Numbered(long number, PlacedChange placed) {
    RowChange change() {
      return (RowChange) placed.event();
    }
  }

  /** Ends a pass that has to be begun again. */
  private static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Again() {
      super(null, null, false, false);
    }
  }

  private final ApplySession session;
  private final RoundApply rounds;
  private final ErrorPolicies policies;
  private final Set<TableId> suspended;
  private final Verdicts verdicts;
  private final LeftOut leftOut;
  private final WindowTuning tuning;
  private final AppliedCounts counts = new AppliedCounts();
  private final CapturedChangesBuilder captured = new CapturedChangesBuilder();
  private final long statementsBefore;

  private final DeferredCulprits culprits;

  /** By table, the shape that its rows have in the run. */
  private final Map<TableId, RowSchema> shapes = new HashMap<>();

  private List<Numbered> run = new ArrayList<>();
  private long runBytes;

  /**
   * @param suspended tables that were suspended before the window
   * @param verdicts what earlier passes over the window found
   * @param tuning of the window; runs are compacted also where the window is not
   */
  Isolation(
      ApplySession session,
      RoundApply rounds,
      ErrorPolicies policies,
      Set<TableId> suspended,
      Verdicts verdicts,
      LeftOut leftOut,
      WindowTuning tuning) {
    this.tuning = tuning.compacting();
    this.session = session;
    this.rounds = rounds;
    this.policies = policies;
    this.suspended = suspended;
    this.verdicts = verdicts;
    this.leftOut = leftOut;
    this.culprits = new DeferredCulprits(session);
    this.statementsBefore = session.statements();
  }

  /**
   * Goes over the window.
   *
   * @return what was done; empty where the transaction is to be rolled back and another pass begun
   * @throws SluiceException.Data where the policy for an error is to stop
   * @throws SluiceException.Fatal where the policy for a table error is to stop
   */
  Optional<AppliedWindow> apply(ChangeReplay.Changes changes) {
    try {
      long number = 0;
      for (PlacedChange placed = changes.next(); placed != null; placed = changes.next()) {
        take(new Numbered(number++, placed));
      }
      applyRun();
      beginAgainWithout(culprits.find());
    } catch (Again e) {
      return Optional.empty();
    }
    leftOut.addSuspensions(verdicts.suspensions().values(), counts);
    leftOut.flush();
    return Optional.of(counts.applied(session.statements() - statementsBefore, captured.build()));
  }

  AppliedCounts counts() {
    return counts;
  }

  private void take(Numbered numbered) {
    PlacedChange placed = numbered.placed();
    captured.count(placed.event());
    if (placed.event() instanceof RowChange change) {
      if (isPassedOver(change.schema().table(), placed)) {
        counts.add(change.schema().table(), new TableErrors(0, 0, 1));
        return;
      }
      String reason = verdicts.whyLeftOut(numbered.number());
      if (reason != null) {
        applyRun();
        leaveOut(numbered, ErrorKind.of(change, ""), "", reason);
        return;
      }
      beginShape(change.schema());
      runBytes += bytes(change.match()) + bytes(change.row());
      run.add(numbered);
    } else if (placed.event() instanceof Truncate truncate) {
      List<Emptied> left =
          truncate.tables().stream()
              .filter(emptied -> !isPassedOver(emptied.table(), placed))
              .toList();
      Truncation.refuseWhereAsked(policies, left, placed.transaction().position());
      if (!left.isEmpty()) {
        run.add(
            new Numbered(
                numbered.number(),
                new PlacedChange(placed.transaction(), placed.ordinal(), new Truncate(left))));
      }
    } else if (placed.event() instanceof Definition definition) {
      takeDefinition(numbered.number(), placed, definition);
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
      beginAgainWithout(culprits.find(Set.of(rounds.target(schema.table()))));
    }
  }

  /** DDL is a run of its own. */
  private void takeDefinition(long number, PlacedChange placed, Definition definition) {
    List<DefinitionChange> left;
    try {
      left =
          SuspendedDefinitions.others(
              definition.changes().changes(), table -> isPassedOver(table, placed));
    } catch (SluiceException.Table e) {
      applyRun();
      List<DefinitionChange> failing =
          definition.changes().changes().stream()
              .filter(change -> change.rowsAfter().filter(e.table()::equals).isPresent())
              .toList();
      leaveTableOut(List.of(only(failing, number, placed, definition)), e);
      return;
    }
    if (left.isEmpty()) {
      return;
    }
    applyRun();
    beginAgainWithout(culprits.find(rounds.altered(left)));
    apply(List.of(only(left, number, placed, definition)));
  }

  private static Numbered only(
      List<DefinitionChange> some, long number, PlacedChange placed, Definition definition) {
    Definition wanted = new Definition(definition.changes().only(some));
    return new Numbered(number, new PlacedChange(placed.transaction(), placed.ordinal(), wanted));
  }

  private void beginAgainWithout(Map<Long, String> culpritsFound) {
    if (!culpritsFound.isEmpty()) {
      culpritsFound.forEach(verdicts::leaveOut);
      throw new Again();
    }
  }

  private boolean isPassedOver(TableId table, PlacedChange placed) {
    Verdicts.Suspension suspension = verdicts.suspensions().get(table);
    return suspended.contains(table)
        || suspension != null
            && !suspension.table().firstMissing().isAfter(placed.transaction().position());
  }

  private void applyRun() {
    List<Numbered> taken = run;
    run = new ArrayList<>();
    runBytes = 0;
    apply(taken);
  }

  private void apply(List<Numbered> changes) {
    if (changes.isEmpty()) {
      return;
    }
    Optional<SluiceException> failure = attempt(changes);
    if (failure.isEmpty()) {
      return;
    }
    if (failure.get() instanceof SluiceException.Table error) {
      leaveTableOut(changes, error);
    } else if (changes.size() > 1) {
      int half = changes.size() / 2;
      apply(changes.subList(0, half));
      apply(changes.subList(half, changes.size()));
    } else {
      judge(changes.get(0), failure.get());
    }
  }

  /** Applies changes as rounds; where that fails, the target is as before. */
  private Optional<SluiceException> attempt(List<Numbered> changes) {
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
      rounds.takenBack();
      return Optional.of(e);
    }
    session.keepRun();
    rounds.kept();
    counts.add(done);
    noteDeferred(changes);
    return Optional.empty();
  }

  private List<Round> roundsOf(List<Numbered> changes) {
    List<Round> cut = new ArrayList<>();
    RoundCutter cutter = new RoundCutter(tuning);
    for (Numbered each : changes) {
      Round ended = cutter.add(each.placed().event());
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

  private void noteDeferred(List<Numbered> changes) {
    Map<RowSchema, Optional<TablePlan>> plans = new HashMap<>();
    Map<TablePlan, List<Row>> rows = new HashMap<>();
    Map<TablePlan, List<Long>> numbers = new HashMap<>();
    for (Numbered each : changes) {
      if (each.placed().event() instanceof RowChange change && change.row() != null) {
        TablePlan plan = plans.computeIfAbsent(change.schema(), rounds::appliedPlan).orElse(null);
        if (plan != null && culprits.concern(plan)) {
          rows.computeIfAbsent(plan, key -> new ArrayList<>())
              .add(plan.schema().matchOf(change.row()));
          numbers.computeIfAbsent(plan, key -> new ArrayList<>()).add(each.number());
        }
      }
    }
    rows.forEach((plan, put) -> culprits.note(plan, put, numbers.get(plan)));
  }

  /** Decides about one change that the target does not take. */
  private void judge(Numbered one, SluiceException failure) {
    String state = TargetErrors.stateOf(failure);
    if (!(one.placed().event() instanceof RowChange change)) {
      boolean ofTable = one.placed().event() instanceof Definition || state.startsWith("42");
      ErrorKind kind = ofTable ? ErrorKind.TABLE : ErrorKind.DATA;
      leaveOut(one, kind, state, failure.getMessage());
      return;
    }
    ErrorKind kind = ErrorKind.of(change, state);
    if (isAppliedAsTheOther(one, change, kind, state)) {
      return;
    }
    leaveOut(one, kind, state, failure.getMessage());
  }

  /** INSERT_RECORD and UPDATE_RECORD. */
  private boolean isAppliedAsTheOther(
      Numbered one, RowChange change, ErrorKind kind, String state) {
    ErrorAction action = kind.action(policies);
    RowChange other;
    if (action == ErrorAction.INSERT_RECORD && change.schema().hasKey()) {
      other = new RowChange(change.schema(), change.schema().matchOf(change.row()), change.row());
    } else if (action == ErrorAction.UPDATE_RECORD
        && state.isEmpty()
        && !change.row().hasUnchanged()
        && matchesOneAtMost(change.schema())) {
      other = new RowChange(change.schema(), null, change.row());
    } else {
      return false;
    }
    PlacedChange placed =
        new PlacedChange(one.placed().transaction(), one.placed().ordinal(), other);
    if (attempt(List.of(new Numbered(one.number(), placed))).isPresent()) {
      return false;
    }
    counts.add(change.schema().table(), new TableErrors(0, 1, 0));
    return true;
  }

  /** Looks at the table as it is once it is adapted to the rows, and leaves it as it was. */
  private boolean matchesOneAtMost(RowSchema schema) {
    boolean matches;
    session.beginRun();
    try {
      matches = rounds.plan(schema, new AppliedCounts()).matchesOneAtMost();
    } catch (SluiceException.Data | SluiceException.Table e) {
      matches = false;
    }
    session.takeBackRun();
    rounds.takenBack();
    return matches;
  }

  private void leaveTableOut(List<Numbered> changes, SluiceException.Table error) {
    if (policies.table() == ErrorAction.STOP_TASK) {
      throw new SluiceException.Fatal(error.problems());
    }
    for (Numbered each : changes) {
      if (concerns(each.placed().event(), error.table())) {
        leaveOut(each, ErrorKind.TABLE, "", error.getMessage());
        return;
      }
    }
    throw new IllegalStateException("BUG: no change of " + error.table() + " where it failed");
  }

  private static boolean concerns(ChangeEvent event, TableId table) {
    return event instanceof RowChange change
        ? change.schema().table().equals(table)
        : LeftOut.tablesOf(event).contains(table);
  }

  private void leaveOut(Numbered one, ErrorKind kind, String state, String error) {
    List<TableId> tables =
        LeftOut.tablesOf(one.placed().event()).stream()
            .filter(table -> !isPassedOver(table, one.placed()))
            .toList();
    List<Verdicts.Suspension> suspensions =
        leftOut.add(one.placed(), tables, kind, state, error, counts);
    if (!suspensions.isEmpty()) {
      suspensions.forEach(verdicts::suspend);
      throw new Again();
    }
  }

  private static long bytes(Row row) {
    return row == null ? 0 : row.retainedBytes();
  }
}
