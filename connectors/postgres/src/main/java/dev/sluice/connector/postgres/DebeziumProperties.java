package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.source.ConnectProperties;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The configuration of Debezium's PostgreSQL connector for a task's source. Immutable. */
record DebeziumProperties(PostgresConfig config) implements ConnectProperties {

  @Override
  public Map<String, String> of(String topicPrefix, List<CatalogTable> tables, boolean loads) {
    Endpoint endpoint = config.endpoint();
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    properties.put("database.hostname", endpoint.host());
    properties.put("database.port", Integer.toString(endpoint.port()));
    properties.put("database.user", endpoint.user());
    properties.put("database.password", "${env:SOURCE_PASSWORD}");
    properties.put("database.dbname", endpoint.database());
    if (endpoint.options().containsKey("sslmode")) {
      properties.put("database.sslmode", endpoint.options().get("sslmode"));
    }
    properties.put("topic.prefix", topicPrefix);
    properties.put("plugin.name", "pgoutput");
    properties.put("slot.name", config.slotName());
    properties.put("publication.name", config.publicationName());
    properties.put("publication.autocreate.mode", "filtered");
    properties.put("table.include.list", list(tables));
    String keys = keys(tables);
    if (!keys.isEmpty()) {
      properties.put("message.key.columns", keys);
    }
    properties.put("provide.transaction.metadata", "true");
    properties.put("skipped.operations", "none");
    properties.put("snapshot.mode", loads ? "initial" : "no_data");
    properties.put("tombstones.on.delete", "false");
    // Three headers in each record, which the sink does not read.
    properties.put("extended.headers.enabled", "false");
    properties.put("decimal.handling.mode", "precise");
    properties.put("time.precision.mode", "microseconds");
    properties.put("interval.handling.mode", "string");
    properties.put("hstore.handling.mode", "map");
    properties.put("heartbeat.interval.ms", "10000");
    properties.put("poll.interval.ms", "50");
    properties.put("max.batch.size", "4096");
    properties.put("max.queue.size", "16384");
    return properties;
  }

  @Override
  public List<String> notes(List<CatalogTable> tables) {
    List<String> notes = new ArrayList<>();
    for (CatalogTable table : tables) {
      if (!table.identifiesOldRows()) {
        notes.add(
            "%s has no replica identity, so its UPDATEs and DELETEs would fail; run on the source:"
                    .formatted(table.table())
                + " ALTER TABLE %s REPLICA IDENTITY FULL".formatted(table.table().quoted()));
      } else if (!table.hasKey()) {
        notes.add(
            "%s has no key; if it has a unique index, Debezium uses that as the key, so the index"
                    .formatted(table.table())
                + " must be on columns that are never NULL");
      }
    }
    return notes;
  }

  private static String list(List<CatalogTable> tables) {
    return tables.stream().map(table -> pattern(table.table())).collect(Collectors.joining(","));
  }

  /** The replica identities as {@code message.key.columns}; Debezium would otherwise guess them. */
  private static String keys(List<CatalogTable> tables) {
    return tables.stream()
        .filter(CatalogTable::hasKey)
        .map(
            table ->
                pattern(table.table())
                    + ":"
                    + table.columns().stream()
                        .filter(CatalogColumn::key)
                        .map(CatalogColumn::name)
                        .collect(Collectors.joining(",")))
        .collect(Collectors.joining(";"));
  }

  /** The table's name as a regular expression, which Debezium expects. */
  private static String pattern(TableId table) {
    return escaped(table.schema()) + "\\." + escaped(table.name());
  }

  private static String escaped(String name) {
    return Pattern.compile("[^A-Za-z0-9_]").matcher(name).replaceAll("\\\\$0");
  }
}
