package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.RepairPolicy;
import java.util.Collection;
import java.util.Set;

/**
 * What a pass reads, and whether it repairs at once what differs. Immutable.
 *
 * @param only the tables that are read; empty: all
 * @param repair what is repaired while the pass runs
 */
record PassScope(Set<TableId> only, RepairPolicy repair) {

  /** Reads every table and repairs nothing. */
  static final PassScope ALL = new PassScope(Set.of(), RepairPolicy.NONE);

  PassScope {
    only = Set.copyOf(only);
  }

  /** Reads these tables, or all if there are none, and repairs nothing. */
  static PassScope reading(Collection<TableId> tables) {
    return new PassScope(Set.copyOf(tables), RepairPolicy.NONE);
  }

  boolean has(TableId table) {
    return only.isEmpty() || only.contains(table);
  }

  boolean repairs() {
    return repair != RepairPolicy.NONE;
  }

  boolean deletesExtra() {
    return repair == RepairPolicy.REPAIR_AND_DELETE_EXTRA;
  }
}
