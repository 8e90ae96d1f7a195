package dev.sluice.load.target;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.RowChunk;
import java.sql.SQLException;

/**
 * Rows on their way to a table, in a transaction that the caller ends. Owned by the thread that
 * owns the connection, which must not be used for anything else until this is closed.
 */
public interface RowStream extends AutoCloseable {

  /** Adds rows, or a piece of one row, in the layout's format. */
  void add(RowChunk chunk) throws SQLException;

  /** The number of rows that were added completely. */
  long rows();

  /**
   * Sends the rest; the rows are in the open transaction.
   *
   * @return the number of rows
   * @throws SluiceException.Data if the target did not keep all of them
   */
  long end() throws SQLException;

  /**
   * Gives up the rows and the open transaction, unless the stream was ended. Returns also if
   * another thread aborts the session meanwhile. Idempotent.
   */
  @Override
  void close() throws SQLException;
}
