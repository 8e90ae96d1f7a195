package dev.sluice.sink.apply.plan;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Row;
import java.util.List;
import java.util.Set;

/** Is told of the rows that are put into tables with deferrable constraints. */
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

  boolean concern(TablePlan plan);

  void note(TablePlan plan, List<Row> keys);

  /**
   * What was noted of these tables is of them as they are before a change of their definitions.
   *
   * @param altered names on the target
   */
  void beforeAlteration(Set<TableId> altered);
}
