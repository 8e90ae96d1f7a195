package dev.sluice.sink.apply.plan;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Row;
import java.util.List;
import java.util.Set;

/** Listener for rows inserted into tables with deferrable constraints. */
public interface InsertListener {
  InsertListener IGNORED =
      new InsertListener() {
        @Override
        public boolean concern(TablePlan plan) {
          return false;
        }

        @Override
        public void note(TablePlan plan, List<Row> keys) {}

        @Override
        public void beforeAlteration(Set<TableId> altered) {}
      };

  /** True if rows inserted into this table must be reported. */
  boolean concern(TablePlan plan);

  /** Reports inserted rows by their keys. */
  void note(TablePlan plan, List<Row> keys);

  /**
   * Reports that these tables are about to be altered: rows reported so far must be checked before.
   *
   * @param altered the target tables
   */
  void beforeAlteration(Set<TableId> altered);
}
