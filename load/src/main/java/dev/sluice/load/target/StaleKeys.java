package dev.sluice.load.target;

import java.sql.SQLException;
import java.util.List;

/**
 * The keys of one table's rows that the source has changed since they were loaded, in their text
 * form. The target keeps them until the transaction ends, so their number does not matter for
 * memory. Owned by the thread that owns the connection.
 */
public interface StaleKeys {

  /** Adds a key, which may have been added before. Its values are in the order of the columns. */
  void add(String[] key) throws SQLException;

  /** The number of distinct keys. */
  long count() throws SQLException;

  /**
   * Deletes the rows with these keys from the target.
   *
   * @return the number of deleted rows
   */
  long delete() throws SQLException;

  /** The next keys, each once; empty after the last. No key may be added after the first call. */
  List<List<String>> next(int atMost) throws SQLException;
}
