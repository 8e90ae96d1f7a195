package dev.sluice.sink.apply.round;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.DeferredConstraint;
import dev.sluice.sink.target.DeferredStatements;
import dev.sluice.sink.target.StagingShape;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds the changes that violate deferrable constraints. Each inserted row is recorded with the
 * number of its change. At the end of the window, when all its source transactions are committed,
 * it searches for conflicting rows. Owned by the apply thread; one for each pass over a window.
 */
public final class DeferredViolations {
  private static final StagingShape NUMBERED =
      new StagingShape("q", true, false, false, true, false);

  private final ApplySession session;
  private final Map<Long, TablePlan> touched = new LinkedHashMap<>();

  public DeferredViolations(ApplySession session) {
    this.session = session;
  }

  public boolean concern(TablePlan plan) {
    return session.connection().replicaRole() && !plan.table().deferred().isEmpty();
  }

  /**
   * Records inserted rows. Call it only when they cannot be rolled back to a savepoint any more.
   *
   * @param rows the key of each row
   * @param numbers the number of each row's change
   */
  public void note(TablePlan plan, List<Row> rows, List<Long> numbers) {
    session.attempt(
        "record rows inserted into " + plan.table().id(),
        () -> {
          if (touched.put(plan.table().oid(), plan) == null) {
            for (String sql : statements().createNumbered(plan)) {
              session.connection().execute(sql);
            }
          }
          StagedRows set = new StagedRows(session, plan, NUMBERED, StagedRowValues.ofMatches(rows));
          for (StagedRows.Chunk chunk : set.chunks()) {
            set.update(chunk, from -> statements().recordNumbered(plan, numbers, from));
          }
          return null;
        });
  }

  /**
   * Returns the changes to reject, by their number, with the reason. If two inserted rows conflict,
   * the later one is rejected. A row that conflicts with a rejected one may be valid without it, so
   * the next pass decides about it.
   */
  public Map<Long, String> find() {
    return find(touched.values());
  }

  /**
   * The same for tables that are about to be altered; their recorded rows are dropped. The source
   * satisfied its constraints then, since PostgreSQL refuses to alter a table with pending checks.
   *
   * @param altered the target tables
   */
  public Map<Long, String> find(Set<TableId> altered) {
    List<TablePlan> plans =
        touched.values().stream().filter(plan -> plan.table().isConstrainedIn(altered)).toList();
    Map<Long, String> found = find(plans);
    touched.values().removeAll(plans);
    return found;
  }

  private Map<Long, String> find(Collection<TablePlan> plans) {
    Map<Long, String> found = new TreeMap<>();
    List<Meeting> together = new ArrayList<>();
    for (TablePlan plan : plans) {
      for (DeferredConstraint constraint : plan.table().deferred()) {
        session.attempt(
            "check constraint %s of %s".formatted(constraint.name(), plan.table().id()),
            () -> {
              find(plan, constraint, found, together);
              return null;
            });
      }
    }
    // In the order of the changes, as if each was rejected alone and the rest checked again.
    together.sort(Comparator.comparingLong(Meeting::later));
    for (Meeting meeting : together) {
      if (!found.containsKey(meeting.earlier())) {
        found.putIfAbsent(meeting.later(), meeting.reason());
      }
    }
    return found;
  }

  /** Two inserted rows that conflict, by the numbers of their changes. */
  private record Meeting(long earlier, long later, String reason) {}

  private void find(
      TablePlan plan,
      DeferredConstraint constraint,
      Map<Long, String> alone,
      List<Meeting> together)
      throws SQLException {
    String query = statements().numberedConflicts(plan, constraint);
    try (Statement statement = session.connection().jdbc().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        String reason =
            "the row breaks the deferrable constraint %s of %s: another one has %s"
                .formatted(constraint.name(), constraint.relation(), row.getString(1));
        long number = row.getLong(2);
        long other = row.getLong(3);
        if (row.wasNull()) {
          alone.put(number, reason);
        } else {
          together.add(new Meeting(Math.min(number, other), Math.max(number, other), reason));
        }
      }
    }
  }

  private DeferredStatements statements() {
    return session.dialect().deferred();
  }
}
