package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Sends sets of rows to the target inside the open transaction. Stateless. */
public interface BulkLoad {

  /**
   * Rows that are sent to a table. Must be closed in any case; without {@link #end} its rows are
   * dropped.
   */
  interface Stream extends RowWriter, AutoCloseable {

    /** Sends the rest and returns the number of rows that the target accepted. */
    long end() throws SQLException;

    @Override
    void close() throws SQLException;
  }

  /** Rows that are sent as parameters of one statement. */
  interface Parameters extends RowWriter {

    /**
     * Prepares a statement over the rows and sets its parameters.
     *
     * @param sql builds the statement from the item for its FROM or USING clause, with the alias
     *     {@code s}
     */
    PreparedStatement prepare(TargetConnection connection, UnaryOperator<String> sql)
        throws SQLException;
  }

  /**
   * Loads into a temporary table.
   *
   * @param table its full name
   * @param columns its columns, in the order in which values are written
   */
  Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException;

  /**
   * The same in the server's binary format; empty if a column has a type without a known binary
   * form. A write to the stream throws {@link NoBinaryForm} if the row can only be sent as text.
   * The stream can still be ended then, with the rows before it.
   *
   * @param columns of the table, all of which are written
   */
  default Optional<Stream> stageBinary(
      TargetConnection connection, String table, List<StagedColumn> columns) throws SQLException {
    return Optional.empty();
  }

  /** Inserts complete rows into the table itself: a value for each written column. */
  Stream insert(TargetConnection connection, MappedTable table) throws SQLException;

  /**
   * The same in the server's binary format, as {@link #stageBinary} does. The server reads the
   * values by the types for which they were encoded, or the stream's end fails.
   *
   * @throws SluiceException.Retryable here or at the stream's end, if another table has the name
   *     now, or the types may have changed: roll back and plan again
   */
  default Optional<Stream> insertBinary(TargetConnection connection, MappedTable table)
      throws SQLException {
    return Optional.empty();
  }

  /** Collects a small set of rows; empty if each set goes through a stream. */
  default Optional<Parameters> parameters(List<StagedColumn> columns) {
    return Optional.empty();
  }
}
