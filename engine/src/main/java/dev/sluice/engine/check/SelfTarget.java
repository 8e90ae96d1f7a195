package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceLock;
import dev.sluice.sink.target.AdvisoryLocks;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses target tables that are also source tables: a load would drop the rows that it reads, and
 * each applied change would be captured again. Stateless.
 *
 * <p>Source and target may be one database if the tables have different names. Names, addresses and
 * server identifiers do not prove this: a clone has the identifier of its origin, and a pooler has
 * its own address. A lock that is taken on the source and visible on the target does. Members of
 * one cluster do not see it, and name their cluster.
 */
final class SelfTarget {
  private static final int NAMED_AT_MOST = 20;

  private SelfTarget() {}

  /**
   * A problem if a target table is a table of the source. Changes nothing.
   *
   * @param carried the tables and views of the task, by their names on the source
   */
  static List<Problem> problems(
      Source source, TargetServer target, TableMappings mappings, Collection<TableId> carried) {
    if (!isOneDatabase(source, target)) {
      return List.of();
    }
    Set<TableId> related = source.relatives(carried);
    List<String> same = new ArrayList<>();
    for (TableId table : carried) {
      TableId into = mappings.targetOf(table);
      // A table that does not exist yet would be selected as soon as it is created.
      if (related.contains(into)
          || mappings.selects(into)
          || (mappings.includesViews() && mappings.ofViews().selects(into))) {
        same.add(table.equals(into) ? table.toString() : table + " into " + into);
      }
    }
    return same.isEmpty() ? List.of() : List.of(problem(same));
  }

  private static Problem problem(List<String> same) {
    int more = same.size() - NAMED_AT_MOST;
    return new Problem(
        "source and target",
        "are the same database, or members of one cluster, and target tables are tables of the source: "
            + String.join(", ", same.subList(0, Math.min(NAMED_AT_MOST, same.size())))
            + (more > 0 ? " and %d more".formatted(more) : ""),
        "target tables that no selection rule includes",
        "Correct the url of source or target; to copy within one database, give the tables a schema"
            + " that is not selected: TargetMetadata.TargetSchema or a rename rule");
  }

  private static boolean isOneDatabase(Source source, TargetServer target) {
    Optional<SourceLock> taken = source.takeLock(target.dialect().type());
    if (taken.isEmpty()) {
      return false;
    }
    try (SourceLock lock = taken.get()) {
      return AdvisoryLocks.isHeld(target, lock.key())
          || lock.cluster().isPresent() && lock.cluster().equals(TargetChecks.cluster(target));
    }
  }
}
