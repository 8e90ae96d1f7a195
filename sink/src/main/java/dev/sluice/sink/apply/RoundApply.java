package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;

import dev.sluice.config.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings rounds to the target, inside a transaction that others open and end. Owned by the apply
 * thread; used for one such transaction.
 */
final class RoundApply {
  private static final Logger LOG = LoggerFactory.getLogger(RoundApply.class);

  private static final TableCounters DDL = new TableCounters(0, 0, 0, 1);

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

          @Override
          public void beforeAlteration(Set<TableId> altered) {}
        };

    boolean concern(TablePlan plan);

    void note(TablePlan plan, List<Row> keys);

    /**
     * What was noted of these tables is of them as they are before a change of their definitions.
     *
     * @param altered names on the target
     */
    void beforeAlteration(Set<TableId> altered);
  }

  private final ApplySession session;
  private final TargetCatalog catalog;
  private final UnaryOperator<TableId> targetOf;
  private final ChangeProcessingDdlHandlingPolicy ddlPolicy;
  private final String user;
  private final Set<TableId> suspended;
  private final boolean catchesUp;
  private final boolean countsBytes;
  private final PutInRows putInRows;
  private final Map<RowSchema, TablePlan> plans = new HashMap<>();

  /** Whether definitions were changed since the last run that was kept. */
  private boolean altered;

  /**
   * @param targetOf the target table of a source table
   * @param ddlPolicy what of the source's DDL is done on the target
   * @param user of the session, for messages
   * @param suspended source tables whose changes are passed over; looked at with each round
   * @param catchesUp whether these are the changes of one table alone, which comes after the others
   * @param countsBytes whether the bytes of the rows are wanted
   */
  RoundApply(
      ApplySession session,
      TargetCatalog catalog,
      UnaryOperator<TableId> targetOf,
      ChangeProcessingDdlHandlingPolicy ddlPolicy,
      String user,
      Set<TableId> suspended,
      boolean catchesUp,
      boolean countsBytes,
      PutInRows putInRows) {
    this.session = session;
    this.catalog = catalog;
    this.targetOf = targetOf;
    this.ddlPolicy = ddlPolicy;
    this.user = user;
    this.suspended = suspended;
    this.catchesUp = catchesUp;
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
    } else if (round instanceof Round.Definitions definitions) {
      applyDefinitions(definitions.changes(), counts);
    } else {
      throw new IllegalStateException("BUG: no way to apply " + round.getClass());
    }
  }

  /** What was applied since the last call was taken back; so are changes of definitions. */
  void takenBack() {
    // Shapes that were met since then are forgotten, so each is to be met again.
    plans.clear();
    if (altered) {
      altered = false;
      forgetTables();
    }
  }

  /** What was applied since the last call stays. */
  void kept() {
    altered = false;
  }

  /** How rows that were applied went into their target table; empty where none can have gone. */
  Optional<TablePlan> appliedPlan(RowSchema schema) {
    TablePlan plan = plans.get(schema);
    if (plan != null) {
      return Optional.of(plan);
    }
    try {
      boolean lenient = !ddlPolicy.handleSourceTableAltered();
      return Optional.of(new TablePlan(schema, table(schema.table()), lenient));
    } catch (SluiceException.Table e) {
      return Optional.empty();
    }
  }

  /** The target tables whose definitions change, or whose partitions' do. */
  Set<TableId> altered(List<DefinitionChange> changes) {
    return changes.stream()
        .flatMap(change -> change.concerned().stream())
        .map(targetOf)
        .collect(Collectors.toSet());
  }

  /** The target table of a source table. */
  TableId target(TableId source) {
    return targetOf.apply(source);
  }

  /**
   * How a source table's rows go into its target table, which is adapted where the rows have got
   * another shape.
   */
  TablePlan plan(RowSchema schema, AppliedCounts counts) {
    TablePlan plan = plans.get(schema);
    if (plan == null) {
      boolean follows = ddlPolicy.handleSourceTableAltered();
      if (follows) {
        adapt(schema, counts);
      }
      plan = new TablePlan(schema, table(schema.table()), !follows);
      plans.put(schema, plan);
      session.shapes().met(schema);
    }
    return plan;
  }

  /** Where no DDL was told, but the rows have another shape. */
  private void adapt(RowSchema schema, AppliedCounts counts) {
    List<String> statements =
        ShapeChange.statements(
            session.shapes().last(schema.table()), schema, table(schema.table()));
    if (statements.isEmpty()) {
      return;
    }
    putInRows.beforeAlteration(Set.of(targetOf.apply(schema.table())));
    for (String statement : statements) {
      attempt(statement, () -> session.connection().execute(statement));
      LOG.warn(
          "rows of {} have another shape: {}; what the rows before hold there is not known",
          schema.table(),
          statement);
    }
    counts.add(schema.table(), DDL);
    altered = true;
    forgetTables();
  }

  private void applyDefinitions(DefinitionChanges changes, AppliedCounts counts) {
    List<DefinitionChange> wanted =
        SuspendedDefinitions.others(changes.changes(), suspended::contains);
    if (wanted.isEmpty()) {
      return;
    }
    if (catchesUp) {
      SuspendedDefinitions.requireSameName(wanted);
    }
    putInRows.beforeAlteration(altered(wanted));
    altered = true;
    DefinitionApply apply = new DefinitionApply(session.connection(), targetOf, ddlPolicy);
    for (DefinitionChange done : apply.apply(changes.only(wanted))) {
      counts.add(done.table(), DDL);
    }
    session.shapes().altered(wanted);
    forgetTables();
  }

  private void forgetTables() {
    catalog.forget();
    plans.clear();
    attempt(
        "forget prepared statements",
        () -> {
          session.forgetStatements();
          return null;
        });
  }

  private void empty(List<Emptied> emptied, AppliedCounts counts) {
    if (!ddlPolicy.handleSourceTableTruncated()) {
      return;
    }
    List<Emptying> emptyings = new ArrayList<>();
    for (Emptied each : emptied) {
      if (!suspended.contains(each.table())) {
        emptyings.add(new Emptying(table(each.table()), each.partitionCondition()));
        counts.add(each.table(), DDL);
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
    TablePlan plan = plan(changes.schema(), counts);
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
      TablePlan plan = plans.get(change.schema());
      if (plan == null) {
        // The table may be adapted now: what waits is of the shape before.
        apply.flush();
        putIn.forEach(putInRows::note);
        putIn.clear();
        plan = plan(change.schema(), counts);
      }
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
