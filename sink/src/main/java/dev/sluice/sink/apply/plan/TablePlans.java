package dev.sluice.sink.apply.plan;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.sink.apply.ddl.ApartOrder;
import dev.sluice.sink.apply.ddl.DefinitionApply;
import dev.sluice.sink.apply.ddl.KeptColumns;
import dev.sluice.sink.apply.ddl.ShapeChange;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetColumnChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.sink.target.TargetTableProblems;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table plans of one transaction. Adapts target tables to new row schemas and applies the
 * source's DDL; each alteration clears the cached plans. Owned by the apply thread; used for one
 * transaction.
 */
public final class TablePlans {
  private static final Logger LOG = LoggerFactory.getLogger(TablePlans.class);

  private final ApplySession session;
  private final TargetCatalog catalog;
  private final SourceShapes sources;
  private final ApplySettings settings;
  private final String user;
  private final InsertListener insertListener;
  private final ApartOrder order;
  private final Map<RowSchema, TablePlan> plans = new HashMap<>();

  /** Whether target tables were altered since the last run that was kept. */
  private boolean altered;

  /**
   * @param settings which DDL of the source is applied, and what is done about unknown columns
   * @param user the session's user, for messages
   * @param insertListener notified before each alteration
   */
  public TablePlans(
      ApplySession session,
      TargetCatalog catalog,
      SourceShapes sources,
      ApplySettings settings,
      String user,
      InsertListener insertListener) {
    this.session = session;
    this.catalog = catalog;
    this.sources = sources;
    this.settings = settings;
    this.user = user;
    this.insertListener = insertListener;
    this.order = new ApartOrder(this::target);
  }

  /** Call it after a rollback of what was applied since the last call, including DDL. */
  public void rolledBack() {
    // The row schemas of the rolled back run must be planned again.
    plans.clear();
    order.rolledBack();
    if (altered) {
      altered = false;
      forgetTables();
    }
  }

  /** Call it when what was applied since the last call is kept. */
  public void kept() {
    altered = false;
    order.kept();
  }

  /** The plan of rows that were applied; empty if none of them can have been applied. */
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

  /** The target tables that these changes alter, including those whose partitions change. */
  public Set<TableId> altered(List<DefinitionChange> changes) {
    return changes.stream()
        .flatMap(change -> change.concerned().stream())
        .map(this::target)
        .collect(Collectors.toSet());
  }

  /** The target table of a source table. */
  public TableId target(TableId source) {
    return sources.target(source);
  }

  /** Whether {@link #plan} would alter the target table for rows of this schema. */
  public boolean alters(RowSchema schema) {
    return !plans.containsKey(schema)
        && settings.unknownColumns() == UnknownColumns.ADDED
        && !alterations(schema).isEmpty();
  }

  /**
   * Returns the plan for rows of this schema, and adapts the target table if their schema is new.
   */
  public TablePlan plan(RowSchema schema, AppliedCounts counts) {
    TablePlan plan = plans.get(schema);
    if (plan == null) {
      order.rowsOf(schema.table());
      TargetTableProblems.withoutKey(session.dialect(), target(schema.table()), schema.columns())
          .ifPresent(
              problem -> {
                throw new SluiceException.Table(schema.table(), List.of(problem));
              });
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
    return new TablePlan(
        schema,
        table(schema.table()),
        lenient,
        new TargetColumnChecks(session.dialect().columnFixes()));
  }

  /** Requires that target columns whose source columns are gone stay NULL in new rows. */
  private void requireKeptColumnsEmpty(RowSchema schema) {
    Set<String> come = schema.columns().stream().map(Column::name).collect(Collectors.toSet());
    List<String> gone =
        session.shapes().last(schema.table()).stream()
            .flatMap(last -> last.columns().stream())
            .map(Column::name)
            .filter(name -> !come.contains(name))
            .toList();
    TableId target = target(schema.table());
    List<Problem> filled =
        session.attempt(
            "read the columns of " + target,
            () -> KeptColumns.filled(session.connection(), target, gone));
    if (!filled.isEmpty()) {
      throw new SluiceException.Table(schema.table(), filled);
    }
  }

  private List<String> alterations(RowSchema schema) {
    return ShapeChange.statements(
        session.dialect().ddl(),
        session.shapes().last(schema.table()),
        schema,
        table(schema.table()));
  }

  /** Alters the target table for rows of a new schema that no DDL reported. */
  private void adapt(RowSchema schema, AppliedCounts counts) {
    List<String> statements = alterations(schema);
    if (statements.isEmpty()) {
      return;
    }
    insertListener.beforeAlteration(Set.of(target(schema.table())));
    for (String statement : statements) {
      session.attempt(statement, () -> session.connection().execute(statement));
      LOG.warn(
          "the rows of {} have a new schema, table altered: {}; the values of earlier rows there are not known",
          schema.table(),
          statement);
    }
    counts.addDefinition(schema.table());
    altered = true;
    forgetTables();
  }

  /** Applies the source's DDL as far as the policy allows. */
  public void alter(DefinitionChanges changes, AppliedCounts counts) {
    insertListener.beforeAlteration(altered(changes.changes()));
    altered = true;
    session.shapes().altered(changes.changes());
    sources.requireOnly(session, changes.changes());
    if (!session.dialect().ddl().isTransactional()) {
      requireOrder(changes);
    }
    DefinitionApply apply =
        new DefinitionApply(session.connection(), this::target, settings.task(), settings.mark());
    try {
      for (DefinitionChange done : apply.apply(changes)) {
        counts.addDefinition(done.table());
      }
    } catch (NeededApart e) {
      session.requireNotRefused(e);
      throw e;
    }
    forgetTables();
  }

  /** What is done before the window must not need what the window does. */
  private void requireOrder(DefinitionChanges changes) {
    for (DefinitionChange change : changes.changes()) {
      if (!DefinitionApply.follows(change, settings.task())) {
        continue;
      }
      order
          .changes(change)
          .ifPresent(
              why -> {
                throw new SluiceException.Data(
                    "%s of table %s is not replicated, since this target commits at it, and %s; load the table again"
                        .formatted(changes.command(), change.table(), why),
                    null);
              });
    }
  }

  private void forgetTables() {
    catalog.forget();
    plans.clear();
    session.attempt(
        "close prepared statements",
        () -> {
          session.forgetStatements();
          return null;
        });
  }

  /**
   * Returns the target table of a source table as it is now.
   *
   * @throws SluiceException.Table if it does not exist
   * @throws SluiceException.Fatal if it has the rows of another source table, or triggers that
   *     would fire
   */
  TargetTable table(TableId source) {
    sources.requireOnly(session, source);
    TableId id = target(source);
    TargetConnection connection = session.connection();
    TargetTable table =
        session
            .attempt("read the catalog entry of " + id, () -> catalog.table(connection, id))
            .orElseThrow(
                () ->
                    new SluiceException.Table(
                        source,
                        List.of(
                            new Problem(
                                "target table " + id,
                                "does not exist",
                                "a table for the changes of " + source,
                                "Create it, or deselect the source table"))));
    if (!table.unfit().isEmpty()) {
      throw new SluiceException.Table(source, table.unfit());
    }
    if (!connection.replicaRole() && !table.firing().isEmpty()) {
      throw new SluiceException.Fatal(
          TargetTableProblems.wouldFire(session.dialect(), table, user));
    }
    return table;
  }

  /** The same for a table that is to be emptied. */
  public TargetTable toEmpty(TableId source) {
    order.rowsOf(source);
    sources.requireOnlyNow(session, source);
    return table(source);
  }
}
