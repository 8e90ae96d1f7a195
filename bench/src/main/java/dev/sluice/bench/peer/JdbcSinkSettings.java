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
   * @param arrays whether a batch goes as arrays: by UNNEST, or by the bulk protocol of MariaDB
   */
  public static Map<String, String> of(Database target, int batch, boolean arrays) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("connection.url", target.jdbcUrl() + options(target, arrays));
    settings.put("connection.username", target.user());
    settings.put("connection.password", "");
    settings.put(
        "collection.name.format",
        target.isMariadb() ? "${source.table}" : "${source.schema}.${source.table}");
    settings.put("insert.mode", "upsert");
    settings.put("delete.enabled", "true");
    settings.put("primary.key.mode", "record_key");
    settings.put("schema.evolution", "none");
    settings.put("use.reduction.buffer", "true");
    settings.put("batch.size", Integer.toString(batch));
    settings.put(
        "dialect.postgres.unnest.insert.enabled", Boolean.toString(arrays && !target.isMariadb()));
    return settings;
  }

  /** Of the driver. */
  private static String options(Database target, boolean arrays) {
    if (target.isMariadb()) {
      return "?useBulkStmts=" + arrays + "&useBulkStmtsForInserts=" + arrays;
    }
    // Statements of one shape become one message to the server.
    return "?reWriteBatchedInserts=true";
  }
}
