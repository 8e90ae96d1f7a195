package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import java.sql.SQLException;

/**
 * Reads under a view's snapshot, in one session. Each read returns the rows of its table as the
 * snapshot shows them, or fails. On servers that always show their current catalog, it fails only
 * if the table is altered during the read. Owned by one thread at a time; closed with its view.
 */
interface SideReads {

  /** What is done in the session. */
  interface Work<T> {
    T run(SideSession session) throws SQLException;
  }

  /** Opens its session, unless it is open. Returns false if that is not possible. */
  boolean tryOpen();

  /**
   * Reads the catalog.
   *
   * @param what is read, for messages
   */
  <T> T ofCatalog(String what, Work<T> work);

  /**
   * Reads a table.
   *
   * @param known the table under the snapshot
   */
  <T> T ofTable(TableId table, SnapshotTable known, Plan plan, Work<T> work);

  /**
   * Reads a border between chunks. It need not be exact: wherever a chunk ends, it contains the
   * same rows on both sides.
   */
  <T> T ofBorder(TableId table, SnapshotTable known, Plan plan, Work<T> work);
}
