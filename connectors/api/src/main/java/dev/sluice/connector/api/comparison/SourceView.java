package dev.sluice.connector.api.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.connector.api.Position;

/** A snapshot of the source, exact by its transactions and not by a position. */
public interface SourceView extends SideView {

  /**
   * Which transactions the snapshot shows, in the source's own text form. For PostgreSQL that of
   * {@code pg_current_snapshot()}.
   */
  String visibleTransactions();

  /** The end of the log, read after the snapshot: all that it shows is at or below this. */
  Position position();

  /**
   * The condition of a filter in the SQL of this side, as the load has it.
   *
   * @param table which {@link #table} has read
   */
  default String condition(TableId table, RowFilter filter) {
    return filter.condition();
  }
}
