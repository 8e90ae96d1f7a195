package dev.sluice.sink.load;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import java.sql.SQLException;
import java.util.List;

/** What loaded tables still need. Owned by the thread that owns the connection. */
public final class TargetTableCompletion {
  private final TargetConnection connection;

  public TargetTableCompletion(TargetConnection connection) {
    this.connection = connection;
  }

  /** Makes the keys that were left out before the load, all or none. */
  public void makeKeys(List<DefinitionStatement> keys) {
    DefinitionRun run = new DefinitionRun(connection);
    keys.forEach(run::make);
    commit("create the keys of the target's tables");
  }

  /**
   * Gathers statistics, without which the first statements on the loaded tables get bad plans.
   *
   * @throws SluiceException where the target refuses
   */
  public void analyze(TableId table) {
    try {
      connection.execute("ANALYZE " + table.quoted());
    } catch (SQLException e) {
      connection.rollback();
      throw TargetErrors.classify("analyze " + table, e);
    }
    commit("analyze " + table);
  }

  private void commit(String attempted) {
    try {
      connection.execute("SET LOCAL synchronous_commit = on");
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify(attempted, e);
    }
  }
}
