package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogOfAllTables;

/**
 * The binary log has the changes of all tables: nothing is to be done for those of a task.
 * Stateless.
 */
final class WholeLog extends LogOfAllTables {
  @Override
  public String kind() {
    return "binary log";
  }

  @Override
  public Problem missingFor(FoundRetention kept) {
    throw new IllegalStateException("BUG: the binary log cannot be missing for " + kept);
  }

  @Override
  public Problem notCaptured(TableId table) {
    return new Problem(
        "table " + table,
        "its changes are not in the binary log",
        "a server that logs all tables",
        "Remove binlog_do_db and binlog_ignore_db from the server's configuration");
  }
}
