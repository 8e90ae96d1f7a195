package dev.sluice.connector.api.comparison;

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
}
