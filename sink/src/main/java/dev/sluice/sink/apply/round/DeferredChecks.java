package dev.sluice.sink.apply.round;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.InsertListener;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.DeferredConstraint;
import dev.sluice.sink.target.DeferredStatements;
import dev.sluice.sink.target.StagingShape;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks deferrable constraints, which PostgreSQL does not check in the replica role. At the end of
 * a window it searches for rows that conflict with inserted ones. It cannot check earlier, since a
 * source transaction may violate such a constraint until it commits. Owned by the apply thread; one
 * for each window.
 */
public final class DeferredChecks implements InsertListener {
  private static final int NAMED_ROWS = 10;

  private final ApplySession session;

  /** Tables with such constraints and inserted rows. */
  private final Map<Long, TablePlan> touched = new LinkedHashMap<>();

  /** By table, a token for the keys recorded since its last check. */
  private final Map<Long, Object> contents = new HashMap<>();

  public DeferredChecks(ApplySession session) {
    this.session = session;
  }

  /** True if rows inserted into the table must be checked. */
  @Override
  public boolean concern(TablePlan plan) {
    return session.connection().replicaRole() && !plan.table().deferred().isEmpty();
  }

  /**
   * Records inserted rows.
   *
   * @param keys the rows' keys; ignored for a table without a key, which is checked completely
   */
  @Override
  public void note(TablePlan plan, List<Row> keys) {
    touched.put(plan.table().oid(), plan);
    if (!plan.schema().hasKey() || keys.isEmpty()) {
      return;
    }
    StagedRows set =
        new StagedRows(session, plan, StagingShape.DELETES, StagedRowValues.ofMatches(keys));
    for (StagedRows.Chunk chunk : set.chunks()) {
      session.attempt(
          "record rows inserted into " + plan.table().id(),
          () -> {
            String recorded = recordedTable(plan);
            return set.update(chunk, from -> statements().record(recorded, from));
          });
    }
  }

  @Override
  public void beforeAlteration(Set<TableId> altered) {
    List<TablePlan> plans =
        touched.values().stream().filter(plan -> plan.table().isConstrainedIn(altered)).toList();
    check(plans);
    for (TablePlan plan : plans) {
      touched.remove(plan.table().oid());
      contents.remove(plan.table().oid());
    }
  }

  /**
   * Checks all recorded rows.
   *
   * @throws SluiceException.Data if two rows conflict
   */
  public void check() {
    check(touched.values());
  }

  private void check(Collection<TablePlan> plans) {
    for (TablePlan plan : plans) {
      for (DeferredConstraint constraint : plan.table().deferred()) {
        List<String> meetings =
            session.attempt(
                "check constraint %s of %s".formatted(constraint.name(), plan.table().id()),
                () -> session.texts(conflicts(plan, constraint)));
        if (!meetings.isEmpty()) {
          throw new SluiceException.Data(
              "rows inserted into %s violate its deferrable constraint %s: %s"
                  .formatted(constraint.relation(), constraint.name(), String.join("; ", meetings)),
              null);
        }
      }
    }
  }

  private String recordedTable(TablePlan plan) throws SQLException {
    String definition = statements().keyColumns(plan);
    String table = session.staging().table("noted_" + plan.table().oid(), definition);
    Object content = contents.computeIfAbsent(plan.table().oid(), key -> new Object());
    if (!session.staging().holds(table, content)) {
      session.staging().fill(table, content);
    }
    return table;
  }

  private String conflicts(TablePlan plan, DeferredConstraint constraint) throws SQLException {
    String recorded = plan.hasKey() ? recordedTable(plan) : null;
    return statements().conflicts(plan, constraint, recorded, NAMED_ROWS);
  }

  private DeferredStatements statements() {
    return session.dialect().deferred();
  }
}
