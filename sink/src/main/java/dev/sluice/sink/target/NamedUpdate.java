package dev.sluice.sink.target;

import dev.sluice.connector.api.Row;
import java.sql.SQLException;
import java.util.List;

/**
 * An UPDATE that joins a staged set and also names the keys of its rows as literals, for targets
 * that find rows faster by them. A set needs as many such statements as its keys require.
 * Stateless.
 */
public interface NamedUpdate {

  /** The maximum number of rows of one statement. */
  int rows();

  /** The maximum size of the keys of one statement, unless a single one is larger. */
  int bytes();

  /**
   * The statement for some rows of the set. It changes no others.
   *
   * @param from the item for its FROM or UPDATE clause, with the alias {@code s}
   * @param keys of these rows
   * @throws SQLException if a key cannot be a value of the target's column
   */
  String sql(String from, List<Row> keys) throws SQLException;
}
