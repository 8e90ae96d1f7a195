package dev.sluice.connector.generic.config;

import dev.sluice.config.task.Endpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The source's address as a connector and a JDBC driver take it. Immutable. */
public record ConnectorEndpoint(KnownConnector connector, Endpoint endpoint) {
  /** The properties that are made of the task file's url and password. */
  public static final List<String> NAMES =
      List.of(
          "database.hostname",
          "database.port",
          "database.user",
          "database.password",
          "database.dbname",
          "database.names",
          "database.include.list");

  /** With the password; never shown. */
  public Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>();
    properties.put("database.hostname", endpoint.host());
    properties.put("database.port", String.valueOf(endpoint.port()));
    properties.put("database.user", endpoint.user());
    if (endpoint.password().isPresent()) {
      properties.put("database.password", endpoint.password().reveal());
    }
    switch (connector) {
      case POSTGRESQL, ORACLE, DB2 -> properties.put("database.dbname", endpoint.database());
      case SQLSERVER -> properties.put("database.names", endpoint.database());
      case MARIADB, MYSQL -> properties.put("database.include.list", endpoint.database());
    }
    return properties;
  }

  /**
   * The url for reading definitions, without user and password.
   *
   * @param given the file's properties
   */
  String jdbcUrl(Map<String, String> given) {
    String host = endpoint.host().contains(":") ? "[" + endpoint.host() + "]" : endpoint.host();
    String address = host + ":" + endpoint.port();
    return switch (connector) {
      case POSTGRESQL -> "jdbc:postgresql://" + address + "/" + endpoint.database();
      case MARIADB ->
          "jdbc:mariadb://" + address + "/" + endpoint.database() + "?tinyInt1isBit=false";
      case MYSQL -> "jdbc:mysql://" + address + "/" + endpoint.database() + "?tinyInt1isBit=false";
      case SQLSERVER ->
          "jdbc:sqlserver://%s;databaseName=%s;encrypt=%s;trustServerCertificate=%s"
              .formatted(
                  address,
                  endpoint.database(),
                  given.getOrDefault("database.encrypt", "true"),
                  given.getOrDefault("database.trustServerCertificate", "false"));
      case ORACLE ->
          "jdbc:oracle:thin:@//"
              + address
              + "/"
              + given.getOrDefault("database.pdb.name", endpoint.database());
      case DB2 -> "jdbc:db2://" + address + "/" + endpoint.database();
    };
  }
}
