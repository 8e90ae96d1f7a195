package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import java.util.LinkedHashMap;
import java.util.Map;

/** What Debezium's JDBC sink is set to wherever it is measured. Stateless. */
public final class JdbcSinkSettings {
  private JdbcSinkSettings() {}

  /**
   * The settings, but for the connector's name and class.
   *
   * @param batch records that it applies at once
   * @param unnest whether a batch goes as arrays
   */
  public static Map<String, String> of(Database target, int batch, boolean unnest) {
    Map<String, String> settings = new LinkedHashMap<>();
    // Statements of one shape become one message to the server.
    settings.put("connection.url", target.jdbcUrl() + "?reWriteBatchedInserts=true");
    settings.put("connection.username", Database.USER);
    settings.put("connection.password", "");
    settings.put("collection.name.format", "${source.schema}.${source.table}");
    settings.put("insert.mode", "upsert");
    settings.put("delete.enabled", "true");
    settings.put("primary.key.mode", "record_key");
    settings.put("schema.evolution", "none");
    settings.put("use.reduction.buffer", "true");
    settings.put("batch.size", Integer.toString(batch));
    settings.put("dialect.postgres.unnest.insert.enabled", Boolean.toString(unnest));
    return settings;
  }
}
