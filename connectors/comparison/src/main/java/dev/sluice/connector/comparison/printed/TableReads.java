package dev.sluice.connector.comparison.printed;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.SQLException;

/** Reads tables by a session, and makes no other session wait for long. Owned by one thread. */
public interface TableReads extends AutoCloseable {

  /** What is done with the session. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Reads a table.
   *
   * @throws dev.sluice.connector.api.comparison.NotReadable if it cannot be read now
   */
  <T> T read(TableId table, Work<T> work);

  /** Ends the session. Does not fail on a broken one. */
  @Override
  void close();
}
