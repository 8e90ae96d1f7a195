package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.SideTable;

/** A table whose rows are printed as PostgreSQL prints them. Immutable. */
public interface PrintedTable {

  /** The table as a comparison sees it: with types of PostgreSQL. */
  SideTable table();

  /** Whether a column can have NULL, so that its rows may be in no range of a key. */
  boolean takesNull(String column);

  /**
   * How a compared column is read.
   *
   * @param rows of which the value is one
   * @throws dev.sluice.connector.api.comparison.NotReadable if it is not known what the other
   *     side's type makes of the value
   */
  PrintedColumn column(ComparedRows rows, ComparedValue value);
}
