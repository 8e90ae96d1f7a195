package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogOfAllTables;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.succession.AddressWatch;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ReplicatedChanges;
import java.sql.SQLException;
import java.util.List;

/**
 * The binary log has the changes of all tables, so nothing needs to be set up for a task. It lacks
 * changes that the server receives from another one and does not log.
 */
final class WholeLog extends LogOfAllTables {
  private final MariadbServer server;
  private final CapturedServer captured;
  private final AddressWatch address;

  WholeLog(MariadbServer server, CapturedServer captured, AddressWatch address) {
    this.server = server;
    this.captured = captured;
    this.address = address;
  }

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

  /**
   * The problems of the server that the capture reads; another server at the source's address does
   * not count. The address is asked last, since it may take long to answer.
   */
  @Override
  public List<Problem> leavingOut(TableMappings mappings) {
    List<Problem> missing = missingInLog();
    address.look();
    return missing;
  }

  private List<Problem> missingInLog() {
    try {
      return server.ask(
          query -> {
            captured.require(LogServer.identity(query));
            return ReplicatedChanges.missingInLog(query).stream().toList();
          });
    } catch (SQLException e) {
      throw MariadbFailures.classify("ask whether the server logs all changes", e);
    }
  }
}
