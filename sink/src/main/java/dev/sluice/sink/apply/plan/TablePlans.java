package dev.sluice.sink.apply.plan;

import static dev.sluice.sink.apply.plan.ApplySession.attempt;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.sink.apply.ddl.DefinitionApply;
import dev.sluice.sink.apply.ddl.KeptColumns;
import dev.sluice.sink.apply.ddl.ShapeChange;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
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
 * How the source tables' rows go into their target tables, as far as it was met in one transaction.
 * Adapts target tables to rows of another shape and changes definitions as the source's DDL says;
 * what is known of tables is forgotten with each. Owned by the apply thread; used for one
 * transaction.
 */
public final class TablePlans {
  private static final Logger LOG = LoggerFactory.getLogger(TablePlans.class);

  private final ApplySession session;
  private final TargetCatalog catalog;
  private final SourceShapes sources;
  private final UnaryOperator<TableId> targetOf;
  private final ApplySettings settings;
  private final String user;
  private final InsertListener insertListener;
  private final Map<RowSchema, TablePlan> plans = new HashMap<>();

  /** Whether definitions were changed since the last run that was kept. */
  private boolean altered;

  /**
   * @param targetOf the target table of a source table
   * @param settings what of the source's DDL is done on the target, and what of columns unknown
   * @param user of the session, for messages
   * @param insertListener told of each alteration before it
   */
  public TablePlans(
      ApplySession session,
      TargetCatalog catalog,
      SourceShapes sources,
      UnaryOperator<TableId> targetOf,
      ApplySettings settings,
      String user,
      InsertListener insertListener) {
    this.session = session;
    this.catalog = catalog;
    this.sources = sources;
    this.targetOf = targetOf;
    this.settings = settings;
    this.user = user;
    this.insertListener = insertListener;
  }

  /** What was applied since the last call was taken back; so are changes of definitions. */
  public void rolledBack() {
    // Shapes that were met since then are forgotten, so each is to be met again.
    plans.clear();
    if (altered) {
      altered = false;
      forgetTables();
    }
  }

  /** What was applied since the last call stays. */
  public void kept() {
    altered = false;
  }

  /** How rows that were applied went into their target table; empty where none can have gone. */
  public Optional<TablePlan> applied(RowSchema schema) {
    TablePlan plan = plans.get(schema);
    if (plan != null) {
      return Optional.of(plan);
    }
    try {
      return Optional.of(planOf(schema));
    } catch (SluiceException.Table e) {
      return Optional.empty();
    }
  }

  /** The target tables whose definitions change, or whose partitions' do. */
  public Set<TableId> altered(List<DefinitionChange> changes) {
    return changes.stream()
        .flatMap(change -> change.concerned().stream())
        .map(targetOf)
        .collect(Collectors.toSet());
  }

  /** The target table of a source table. */
  public TableId target(TableId source) {
    return targetOf.apply(source);
  }

  /** Whether {@link #plan} leaves the target's tables as they are for such rows. */
  public boolean isMet(RowSchema schema) {
    return plans.containsKey(schema);
  }

  /**
   * How a source table's rows go into its target table, which is adapted where the rows have got
   * another shape.
   */
  public TablePlan plan(RowSchema schema, AppliedCounts counts) {
    TablePlan plan = plans.get(schema);
    if (plan == null) {
      if (settings.unknownColumns() == UnknownColumns.ADDED) {
        adapt(schema, counts);
      } else {
        requireKeptColumnsEmpty(schema);
      }
      plan = planOf(schema);
      plans.put(schema, plan);
      session.shapes().found(schema);
    }
    return plan;
  }

  private TablePlan planOf(RowSchema schema) {
    boolean lenient = settings.unknownColumns() == UnknownColumns.LEFT_OUT;
    return new TablePlan(schema, table(schema.table()), lenient);
  }

  /** Where no DDL was told, and columns that do not come any more stay on the target. */
  private void requireKeptColumnsEmpty(RowSchema schema) {
    Set<String> come = schema.columns().stream().map(Column::name).collect(Collectors.toSet());
    List<String> gone =
        session.shapes().last(schema.table()).stream()
            .flatMap(last -> last.columns().stream())
            .map(Column::name)
            .filter(name -> !come.contains(name))
            .toList();
    TableId target = targetOf.apply(schema.table());
    List<Problem> filled =
        attempt(
            "look at the columns of " + target,
            () -> KeptColumns.filled(session.connection(), target, gone));
    if (!filled.isEmpty()) {
      throw new SluiceException.Table(schema.table(), filled);
    }
  }

  /** Where no DDL was told, but the rows have another shape. */
  private void adapt(RowSchema schema, AppliedCounts counts) {
    List<String> statements =
        ShapeChange.statements(
            session.shapes().last(schema.table()), schema, table(schema.table()));
    if (statements.isEmpty()) {
      return;
    }
    insertListener.beforeAlteration(Set.of(targetOf.apply(schema.table())));
    for (String statement : statements) {
      attempt(statement, () -> session.connection().execute(statement));
      LOG.warn(
          "rows of {} have another shape: {}; what the rows before hold there is not known",
          schema.table(),
          statement);
    }
    counts.addDefinition(schema.table());
    altered = true;
    forgetTables();
  }

  /** Does what the policy allows of the source's DDL. */
  public void alter(DefinitionChanges changes, AppliedCounts counts) {
    insertListener.beforeAlteration(altered(changes.changes()));
    altered = true;
    session.shapes().altered(changes.changes());
    sources.requireOnly(session, changes.changes());
    DefinitionApply apply = new DefinitionApply(session.connection(), targetOf, settings.ddl());
    for (DefinitionChange done : apply.apply(changes)) {
      counts.addDefinition(done.table());
    }
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

  /**
   * The target table of a source table, as it is now.
   *
   * @throws SluiceException.Table where there is none
   * @throws SluiceException.Fatal where it has the rows of another source table, or triggers that
   *     would fire
   */
  TargetTable table(TableId source) {
    sources.requireOnly(session, source);
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

  /** The same of a table that is to be emptied. */
  public TargetTable toEmpty(TableId source) {
    sources.requireOnlyNow(session, source);
    return table(source);
  }
}
