package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.Column;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.TargetColumn;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Knows which tables are plain: nothing can tell in which order and by which statements their rows
 * change within a transaction. The target is asked once for each table. Owned by the apply thread;
 * used for one transaction.
 */
final class PlainTables {
  /** The first major version whose numbers can be infinite. */
  private static final int INFINITE_NUMBERS = 14;

  /** Types that accept each value of a column with the same type and modifiers, without these. */
  private static final Set<String> TOTAL =
      Set.of(
          "boolean",
          "bytea",
          "character",
          "character varying",
          "date",
          "double precision",
          "integer",
          "bigint",
          "smallint",
          "numeric",
          "real",
          "text",
          "time without time zone",
          "time with time zone",
          "timestamp without time zone",
          "timestamp with time zone",
          "uuid");

  private static final Pattern MODIFIER = Pattern.compile("\\([0-9, -]+\\)");

  private final ApplySession session;
  private final Map<Long, Boolean> plain = new HashMap<>();
  private final Map<TablePlan, Boolean> total = new HashMap<>();

  PlainTables(ApplySession session) {
    this.session = session;
  }

  /** Whether all these tables are plain, and no two plans are of the same one. */
  boolean areAll(Set<TablePlan> plans) {
    if (!session.connection().replicaRole() || !plans.stream().allMatch(PlainTables::mayBe)) {
      return false;
    }
    Set<Long> asked = new HashSet<>();
    Set<Long> keyed = new HashSet<>();
    for (TablePlan plan : plans) {
      asked.add(plan.table().oid());
      if (plan.hasKey()) {
        keyed.add(plan.table().oid());
      }
    }
    if (asked.size() < plans.size()) {
      // Rows of two schemas would be two sets, whose order to each other matters.
      return false;
    }
    asked.removeAll(plain.keySet());
    if (!asked.isEmpty()) {
      Set<Long> found =
          session.attempt(
              "read who sees changes of " + plans.iterator().next().table().id(),
              () -> session.dialect().catalog().plain(session.connection().jdbc(), asked, keyed));
      asked.forEach(oid -> plain.put(oid, found.contains(oid)));
    }
    return plans.stream().allMatch(plan -> plain.get(plan.table().oid()));
  }

  /** Whether each value that the source accepts is one that the target's column accepts. */
  boolean takesAllValues(TablePlan plan) {
    return total.computeIfAbsent(plan, key -> isTotal(key));
  }

  private static boolean mayBe(TablePlan plan) {
    return plan.targetOnly().isEmpty()
        && plan.sensitive().length == 0
        && plan.table().deferred().isEmpty()
        && !plan.table().partitioned()
        && plan.written().length == plan.columnCount()
        && !plan.hasColumnsBeyondUpdate()
        && (!plan.hasKey() || plan.matchesOneAtMost());
  }

  private boolean isTotal(TablePlan plan) {
    if (session.connection().majorVersion() < INFINITE_NUMBERS) {
      return false;
    }
    List<Column> sources = plan.schema().columns();
    for (int i = 0; i < sources.size(); i++) {
      TargetColumn column = plan.column(i);
      boolean isSame = column.type().equals(sources.get(i).type());
      boolean takesNull = !column.notNull() || !sources.get(i).nullable();
      if (!isSame
          || !takesNull
          || !TOTAL.contains(MODIFIER.matcher(column.type()).replaceFirst(""))) {
        return false;
      }
    }
    return true;
  }
}
