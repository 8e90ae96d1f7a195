package dev.sluice.config.dms;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import java.util.ArrayList;
import java.util.List;

/** Writes the section of a task file that names an endpoint of DMS. Stateless. */
final class DmsEndpointSection {
  /** Where the file looks for Debezium's Db2 connector. */
  static final String CONNECTOR_FOLDER = "/opt/debezium-connector-db2";

  private static final FileLocation NOWHERE = new FileLocation("", 1, 1, "");

  private DmsEndpointSection() {}

  /**
   * The section, ending with a line break.
   *
   * @param side {@code source} or {@code target}, its key
   * @param variable of the environment, with the password
   */
  static String of(String side, DmsEndpoint endpoint, String variable) {
    boolean connector = side.equals(DmsEndpoint.SOURCE) && endpoint.engine().isDb2();
    return side
        + ":\n  type: "
        + endpoint.engine().type(side)
        + "\n  "
        + YamlText.of("url", text(endpoint.url(side)))
        + "  password: ${env:"
        + variable
        + "}\n"
        + (connector ? YamlText.of("debezium", db2(side, endpoint)).indent(2) : "");
  }

  /** The connector as Db2's page has it. */
  private static Node.Mapping db2(String side, DmsEndpoint endpoint) {
    List<Node.Entry> properties = new ArrayList<>();
    properties.add(entry("connector.class", "io.debezium.connector.db2.Db2Connector"));
    if (endpoint.engine() == DmsEngine.DB2_ZOS) {
      properties.add(entry("db2.platform", "ZOS"));
    }
    List<Node.Entry> connector = new ArrayList<>();
    connector.add(entry("connector-folder", CONNECTOR_FOLDER));
    if (endpoint.isEncrypted()) {
      // One is the connector's way to the database, the other that of reading definitions.
      properties.add(entry("driver.sslConnection", "true"));
      connector.add(entry("jdbc-url", endpoint.encryptedJdbcUrl(side)));
    }
    connector.add(new Node.Entry("properties", NOWHERE, new Node.Mapping(NOWHERE, properties)));
    return new Node.Mapping(NOWHERE, connector);
  }

  private static Node.Entry entry(String key, String value) {
    return new Node.Entry(key, NOWHERE, text(value));
  }

  private static Node.Text text(String text) {
    return new Node.Text(NOWHERE, text);
  }
}
