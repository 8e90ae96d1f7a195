package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.SharedCluster;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceLock;
import dev.sluice.engine.context.TaskContext;
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
 * one cluster do not see each other's locks; they are recognized by the cluster's identity and list
 * of members.
 */
final class SelfTarget {
  private static final int NAMED_AT_MOST = 20;

  private SelfTarget() {}

  /**
   * Reports target tables that are tables of the source, or may be. Changes nothing.
   *
   * @param carried the tables and views of the task, by their names on the source
   */
  static void check(CheckReport found, TaskContext context, Collection<TableId> carried) {
    Kinship kinship = kinship(context.source(), context.target());
    if (kinship == Kinship.NONE) {
      return;
    }
    TableMappings mappings = context.config().tableMappings();
    Set<TableId> related = context.source().relatives(carried);
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
    report(found, kinship, same);
  }

  /**
   * @param same tables of the source that are target tables, if both are one database
   */
  static void report(CheckReport found, Kinship kinship, List<String> same) {
    if (same.isEmpty() || kinship == Kinship.NONE) {
      return;
    }
    if (kinship == Kinship.ONE_DATABASE) {
      found.problems(List.of(problem(same)));
    } else {
      found.note(note(same));
    }
  }

  private static Problem problem(List<String> same) {
    return new Problem(
        "source and target",
        "are the same database, or members of one cluster, and target tables are tables of the source: "
            + names(same),
        "target tables that no selection rule includes",
        "Correct the url of source or target; to copy within one database, give the tables a schema"
            + " that is not selected: TargetMetadata.TargetSchema or a rename rule");
  }

  private static String note(List<String> same) {
    return "source and target name the same group of servers (group_replication_group_name), and their lists of members have none in common or cannot be read (performance_schema.replication_group_members). If they belong to one group, this task loads tables into themselves, and may drop them before: never run it then. The tables: "
        + names(same);
  }

  private static String names(List<String> same) {
    int more = same.size() - NAMED_AT_MOST;
    return String.join(", ", same.subList(0, Math.min(NAMED_AT_MOST, same.size())))
        + (more > 0 ? " and %d more".formatted(more) : "");
  }

  private static Kinship kinship(Source source, TargetServer target) {
    Optional<SourceLock> taken = source.takeLock(target.dialect().type());
    if (taken.isEmpty()) {
      return Kinship.NONE;
    }
    try (SourceLock lock = taken.get()) {
      return AdvisoryLocks.isHeld(target, lock.key())
          ? Kinship.ONE_DATABASE
          : lock.cluster()
              .flatMap(
                  read -> TargetChecks.cluster(target).map(written -> Kinship.of(read, written)))
              .orElse(Kinship.NONE);
    }
  }

  /** How source and target are related. */
  enum Kinship {
    NONE,
    NAMED_ALIKE,
    ONE_DATABASE;

    /** The relation of two members of clusters. */
    static Kinship of(SharedCluster read, SharedCluster written) {
      if (read.is(written)) {
        return ONE_DATABASE;
      }
      return read.hasNameOf(written) ? NAMED_ALIKE : NONE;
    }
  }
}
