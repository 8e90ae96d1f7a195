package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * TRUNCATE commits, so it could not be undone if the daemon finds at that moment that another
 * daemon has taken over the task. DELETE is part of the transaction. LOCK TABLES waits until the
 * transactions of earlier attempts have ended, whatever rows they have written. It commits the open
 * transaction, which is empty here. An attempt that writes to the table after that also checks the
 * epoch after that.
 */
/** Empties tables before a load. Stateless. */
final class MariadbTableEmptying {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbTableEmptying.class);

  private MariadbTableEmptying() {}

  static void empty(TargetConnection connection, List<TableId> tables) throws SQLException {
    List<TableId> filled = new ArrayList<>();
    connection.execute(
        tables.stream()
            .map(table -> table.quoted() + " WRITE")
            .collect(Collectors.joining(", ", "LOCK TABLES ", "")));
    try {
      for (TableId table : tables) {
        if (connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1")) {
          filled.add(table);
        }
      }
    } finally {
      connection.execute("UNLOCK TABLES");
    }
    for (TableId table : filled) {
      long rows = connection.execute("DELETE FROM " + table.quoted());
      LOG.info("{} emptied: {} rows deleted", table, rows);
    }
  }
}
