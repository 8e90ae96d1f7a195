package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;

import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.Truncation.Emptying;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.Round;
import dev.sluice.sink.window.Rounds;
import dev.sluice.sink.window.TableChanges;
import dev.sluice.sink.window.TableCounters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * One attempt to bring a window's rounds to the target, inside a transaction that others open and
 * end. Owned by the apply thread; single use.
 */
final class WindowAttempt {
  private final ApplySession session;
  private final TargetCatalog catalog;
  private final UnaryOperator<TableId> targetOf;
  private final String user;
  private final boolean careful;

  private final AppliedCounts counts = new AppliedCounts();
  private final DeferredChecks deferred;
  private final Map<RowSchema, TablePlan> plans = new HashMap<>();

  /**
   * @param targetOf the target table of a source table
   * @param user of the session, for messages
   * @param careful looks before each change, so that a failure names the rows; slower
   */
  WindowAttempt(
      ApplySession session,
      TargetCatalog catalog,
      UnaryOperator<TableId> targetOf,
      String user,
      boolean careful) {
    this.session = session;
    this.catalog = catalog;
    this.targetOf = targetOf;
    this.user = user;
    this.careful = careful;
    this.deferred = new DeferredChecks(session);
  }

  AppliedWindow apply(ClosedWindow window) {
    session.begin(window.tuning());
    long before = session.statements();
    try (Rounds rounds = window.rounds().get()) {
      for (Round round = rounds.next(); round != null; round = rounds.next()) {
        apply(round);
      }
    }
    deferred.check();
    return counts.applied(session.statements() - before);
  }

  private void apply(Round round) {
    empty(round.truncate());
    if (round instanceof Round.Net net) {
      net.tables().forEach(this::applyTable);
    } else if (round instanceof Round.Ordered ordered) {
      applyOrdered(ordered.changes());
    } else {
      throw new IllegalStateException("BUG: no way to apply " + round.getClass());
    }
  }

  private void empty(List<Emptied> emptied) {
    List<Emptying> emptyings = new ArrayList<>();
    for (Emptied each : emptied) {
      emptyings.add(new Emptying(table(each.table()), each.partitionCondition()));
      counts.add(each.table(), new TableCounters(0, 0, 0, 1));
    }
    Truncation.apply(session, emptyings);
  }

  private void applyTable(TableChanges changes) {
    if (changes instanceof TableChanges.Ordered ordered) {
      applyOrdered(ordered.changes());
      return;
    }
    TablePlan plan = plan(changes.schema());
    TableCounters counters;
    if (changes instanceof TableChanges.Keyed keyed) {
      KeyedApply apply = new KeyedApply(session, plan, keyed.changes());
      counters = apply.apply(careful);
      if (deferred.concern(plan)) {
        deferred.note(plan, apply.keysPutIn());
      }
    } else if (changes instanceof TableChanges.Multiset multiset) {
      counters = new MultisetApply(session, plan, multiset).apply(careful);
      if (deferred.concern(plan)) {
        deferred.note(plan, List.of());
      }
    } else {
      throw new IllegalStateException("BUG: no way to apply " + changes.getClass());
    }
    counts.add(changes.schema().table(), counters);
  }

  private void applyOrdered(List<RowChange> changes) {
    OrderedApply apply =
        new OrderedApply(session, (plan, counters) -> counts.add(plan.schema().table(), counters));
    Map<TablePlan, List<Row>> putIn = new HashMap<>();
    for (RowChange change : changes) {
      TablePlan plan = plan(change.schema());
      apply.add(plan, change);
      if (change.row() != null && deferred.concern(plan)) {
        putIn
            .computeIfAbsent(plan, key -> new ArrayList<>())
            .add(plan.schema().matchOf(change.row()));
      }
    }
    apply.flush();
    putIn.forEach(deferred::note);
  }

  private TablePlan plan(RowSchema schema) {
    return plans.computeIfAbsent(schema, key -> new TablePlan(key, table(key.table())));
  }

  private TargetTable table(TableId source) {
    TableId id = targetOf.apply(source);
    TargetConnection connection = session.connection();
    TargetTable table =
        attempt("read the catalog entry of " + id, () -> catalog.table(connection, id))
            .orElseThrow(
                () ->
                    new SluiceException.Fatal(
                        new Problem(
                            "target table " + id,
                            "does not exist",
                            "a table for the changes of " + source,
                            "Create it, or leave the table out of the selection")));
    if (!connection.replicaRole() && !table.firing().isEmpty()) {
      throw new SluiceException.Fatal(TargetChecks.wouldFire(table, user));
    }
    return table;
  }
}
