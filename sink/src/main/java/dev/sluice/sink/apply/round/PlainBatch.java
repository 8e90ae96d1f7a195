package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Applies a batch of changes of plain tables as sets, with the same result as one by one: the same
 * rows at its end, or a failure if one of the changes would fail. Which one is found afterwards, as
 * for every window that fails. Owned by the apply thread; used for one transaction.
 */
final class PlainBatch {
  /** For fewer changes, the question whether their tables are plain does not pay. */
  private static final int LEAST_CHANGES = 16;

  /** A set costs as much as some statements of single rows. */
  private static final int CHANGES_FOR_A_SET = 4;

  private final ApplySession session;
  private final PlainTables plainTables;

  PlainBatch(ApplySession session) {
    this.session = session;
    this.plainTables = new PlainTables(session);
  }

  /**
   * Applies the changes, if that is possible and pays.
   *
   * @return false if nothing was applied
   */
  boolean apply(List<OrderedChange> batch) {
    if (batch.size() < LEAST_CHANGES || !batch.stream().allMatch(PlainChanges::canBeIn)) {
      return false;
    }
    Set<TablePlan> plans = new HashSet<>();
    batch.forEach(each -> plans.add(each.plan()));
    if (plans.size() * CHANGES_FOR_A_SET > batch.size() || !plainTables.areAll(plans)) {
      return false;
    }
    List<PlainChanges> sets = setsOf(batch);
    if (sets.size() * CHANGES_FOR_A_SET > batch.size()) {
      return false;
    }
    boolean finds = batch.stream().anyMatch(each -> each.change().match() != null);
    if (finds) {
      session.attempt("prefer indexes", () -> prefer(true));
    }
    sets.forEach(this::apply);
    if (finds) {
      session.attempt("end to prefer indexes", () -> prefer(false));
    }
    session.enter(ApplyStage.ORDERED);
    return true;
  }

  /** The sets in an order in which each table's follow each other. */
  private List<PlainChanges> setsOf(List<OrderedChange> batch) {
    List<PlainChanges> sets = new ArrayList<>();
    Map<TablePlan, PlainChanges> open = new HashMap<>();
    for (OrderedChange each : batch) {
      PlainChanges set = open.get(each.plan());
      if (set == null || !set.add(each.change())) {
        set = new PlainChanges(each.plan(), plainTables.takesAllValues(each.plan()));
        set.add(each.change());
        open.put(each.plan(), set);
        sets.add(set);
      }
    }
    return sets;
  }

  private void apply(PlainChanges set) {
    TableChanges changes = set.build();
    if (changes instanceof TableChanges.Keyed keyed) {
      new KeyedApply(session, set.plan(), keyed.changes()).apply(false);
    } else if (changes instanceof TableChanges.Multiset multiset) {
      new MultisetApply(session, set.plan(), multiset).apply(false);
    }
  }

  private boolean prefer(boolean indexes) throws SQLException {
    OrderedStatements statements = session.dialect().ordered();
    if (indexes) {
      statements.preferIndexes(session.connection());
    } else {
      statements.preferNothing(session.connection());
    }
    return indexes;
  }
}
