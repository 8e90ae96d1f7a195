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
import dev.sluice.sink.window.NetChange;
import dev.sluice.sink.window.Round;
import dev.sluice.sink.window.TableChanges;
import dev.sluice.sink.window.TableChanges.Copies;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Brings rounds to the target, inside a transaction that others open and end. Owned by the apply
 * thread; used for one such transaction.
 */
final class RoundApply {

  /** Is told of the rows that are put into tables with deferrable constraints. */
  interface PutInRows {
    PutInRows IGNORED =
        new PutInRows() {
          @Override
          public boolean concern(TablePlan plan) {
            return false;
          }

          @Override
          public void note(TablePlan plan, List<Row> keys) {}
        };

    boolean concern(TablePlan plan);

    void note(TablePlan plan, List<Row> keys);
  }

  private final ApplySession session;
  private final TargetCatalog catalog;
  private final UnaryOperator<TableId> targetOf;
  private final String user;
  private final Set<TableId> suspended;
  private final boolean countsBytes;
  private final PutInRows putInRows;
  private final Map<RowSchema, TablePlan> plans = new HashMap<>();

  /**
   * @param targetOf the target table of a source table
   * @param user of the session, for messages
   * @param suspended source tables whose changes are passed over; looked at with each round
   * @param countsBytes whether the bytes of the rows are wanted
   */
  RoundApply(
      ApplySession session,
      TargetCatalog catalog,
      UnaryOperator<TableId> targetOf,
      String user,
      Set<TableId> suspended,
      boolean countsBytes,
      PutInRows putInRows) {
    this.session = session;
    this.catalog = catalog;
    this.targetOf = targetOf;
    this.user = user;
    this.suspended = suspended;
    this.countsBytes = countsBytes;
    this.putInRows = putInRows;
  }

  /**
   * Applies one round.
   *
   * @param careful looks before each change, so that a failure names the rows; slower
   * @param counts told what was done
   * @throws SluiceException.Data where the target does not take a change
   * @throws SluiceException.Table where it lacks a table or a column
   */
  void apply(Round round, boolean careful, AppliedCounts counts) {
    empty(round.truncate(), counts);
    if (round instanceof Round.Net net) {
      for (TableChanges table : net.tables()) {
        applyTable(table, careful, counts);
      }
    } else if (round instanceof Round.Ordered ordered) {
      applyOrdered(ordered.changes(), counts);
    } else {
      throw new IllegalStateException("BUG: no way to apply " + round.getClass());
    }
  }

  /** How a source table's rows go into its target table. */
  TablePlan plan(RowSchema schema) {
    return plans.computeIfAbsent(schema, key -> new TablePlan(key, table(key.table())));
  }

  private void empty(List<Emptied> emptied, AppliedCounts counts) {
    List<Emptying> emptyings = new ArrayList<>();
    for (Emptied each : emptied) {
      if (!suspended.contains(each.table())) {
        emptyings.add(new Emptying(table(each.table()), each.partitionCondition()));
        counts.add(each.table(), new TableCounters(0, 0, 0, 1));
      }
    }
    Truncation.apply(session, emptyings);
  }

  private void applyTable(TableChanges changes, boolean careful, AppliedCounts counts) {
    TableId source = changes.schema().table();
    if (suspended.contains(source)) {
      counts.add(source, new TableErrors(0, 0, changes.count()));
      return;
    }
    if (changes instanceof TableChanges.Ordered ordered) {
      applyOrdered(ordered.changes(), counts);
      return;
    }
    TablePlan plan = plan(changes.schema());
    TableCounters counters;
    if (changes instanceof TableChanges.Keyed keyed) {
      KeyedApply apply = new KeyedApply(session, plan, keyed.changes());
      counters = apply.apply(careful);
      if (putInRows.concern(plan)) {
        putInRows.note(plan, apply.keysPutIn());
      }
    } else if (changes instanceof TableChanges.Multiset multiset) {
      counters = new MultisetApply(session, plan, multiset).apply(careful);
      if (putInRows.concern(plan)) {
        putInRows.note(plan, List.of());
      }
    } else {
      throw new IllegalStateException("BUG: no way to apply " + changes.getClass());
    }
    counts.add(source, counters);
    if (countsBytes) {
      counts.addBytes(source, bytes(changes));
    }
  }

  private void applyOrdered(List<RowChange> changes, AppliedCounts counts) {
    OrderedApply apply =
        new OrderedApply(session, (plan, counters) -> counts.add(plan.schema().table(), counters));
    Map<TablePlan, List<Row>> putIn = new HashMap<>();
    for (RowChange change : changes) {
      TableId source = change.schema().table();
      if (suspended.contains(source)) {
        counts.add(source, new TableErrors(0, 0, 1));
        continue;
      }
      TablePlan plan = plan(change.schema());
      apply.add(plan, change);
      if (countsBytes) {
        counts.addBytes(source, bytes(change.match()) + bytes(change.row()));
      }
      if (change.row() != null && putInRows.concern(plan)) {
        putIn
            .computeIfAbsent(plan, key -> new ArrayList<>())
            .add(plan.schema().matchOf(change.row()));
      }
    }
    apply.flush();
    putIn.forEach(putInRows::note);
  }

  private static long bytes(TableChanges changes) {
    long bytes = 0;
    if (changes instanceof TableChanges.Keyed keyed) {
      for (NetChange change : keyed.changes()) {
        bytes += bytes(change.match()) + bytes(change.row());
      }
    } else if (changes instanceof TableChanges.Multiset multiset) {
      for (Copies copies : multiset.takeAway()) {
        bytes += copies.copies() * bytes(copies.row());
      }
      for (Copies copies : multiset.putIn()) {
        bytes += copies.copies() * bytes(copies.row());
      }
    }
    return bytes;
  }

  private static long bytes(Row row) {
    return row == null ? 0 : row.encodedBytes();
  }

  private TargetTable table(TableId source) {
    TableId id = targetOf.apply(source);
    TargetConnection connection = session.connection();
    TargetTable table =
        attempt("read the catalog entry of " + id, () -> catalog.table(connection, id))
            .orElseThrow(
                () ->
                    new SluiceException.Table(
                        source,
                        List.of(
                            new Problem(
                                "target table " + id,
                                "does not exist",
                                "a table for the changes of " + source,
                                "Create it, or leave the table out of the selection"))));
    if (!connection.replicaRole() && !table.firing().isEmpty()) {
      throw new SluiceException.Fatal(TargetChecks.wouldFire(table, user));
    }
    return table;
  }
}
