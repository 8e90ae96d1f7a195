package dev.sluice.connector.postgres.capture;

import dev.sluice.config.net.WatchedSockets;
import dev.sluice.config.task.Endpoint;
import io.debezium.connector.postgresql.PostgresConnector;
import java.util.HashMap;
import java.util.Map;

/** The properties of Debezium's PostgreSQL connector. Stateless. */
public final class CaptureProperties {

  /**
   * Matches no table: Debezium reads no columns. They come with the log and from our own queries.
   */
  private static final String NO_TABLE = "(?!)";

  private CaptureProperties() {}

  public static Map<String, String> of(Endpoint endpoint, String slot, String publication) {
    Map<String, String> properties = new HashMap<>();
    properties.put("connector.class", PostgresConnector.class.getName());
    properties.put("database.hostname", endpoint.host());
    properties.put("database.port", Integer.toString(endpoint.port()));
    properties.put("database.dbname", endpoint.database());
    properties.put("database.user", endpoint.user());
    properties.put("database.password", endpoint.password().reveal());
    properties.put("driver.tcpKeepAlive", "true");
    properties.put("driver." + WatchedSockets.PROPERTY, WatchedSockets.class.getName());
    endpoint.options().forEach((name, value) -> properties.put("driver." + name, value));
    properties.put("plugin.name", "pgoutput");
    properties.put("slot.name", slot);
    properties.put("slot.max.retries", "0");
    properties.put("publication.name", publication);
    properties.put("publication.autocreate.mode", "disabled");
    properties.put("lsn.flush.mode", "connector");
    properties.put("table.include.list", NO_TABLE);
    return properties;
  }
}
