package dev.sluice.connector.postgres.capture;

import dev.sluice.config.Endpoint;
import dev.sluice.config.TableId;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The properties of Debezium's PostgreSQL connector. Stateless.
 *
 * <p>Debezium is told no keys: it guesses them, and only decides by them whether an update comes in
 * two halves. The halves are put together again and the key is taken from the replica identity, so
 * a wrong guess changes nothing; and its property could not name every column.
 */
public final class CaptureProperties {
  private CaptureProperties() {}

  /**
   * @param messagePrefixes regular expressions of the messages to deliver
   * @param tables what to capture: ordinary tables and leaves; none is all that is published
   */
  public static Properties of(
      Endpoint endpoint,
      String slot,
      String publication,
      String messagePrefixes,
      List<TableId> tables) {
    TextColumn.requireKnownDecoder();
    Properties properties = new Properties();
    properties.setProperty("connector.class", SluicePostgresConnector.class.getName());
    properties.setProperty("database.hostname", endpoint.host());
    properties.setProperty("database.port", Integer.toString(endpoint.port()));
    properties.setProperty("database.dbname", endpoint.database());
    properties.setProperty("database.user", endpoint.user());
    properties.setProperty("database.password", endpoint.password().reveal());
    endpoint.options().forEach((name, value) -> properties.setProperty("driver." + name, value));
    properties.setProperty("plugin.name", "pgoutput");
    properties.setProperty("slot.name", slot);
    properties.setProperty("slot.max.retries", "0");
    properties.setProperty("publication.name", publication);
    properties.setProperty("publication.autocreate.mode", "disabled");
    properties.setProperty("lsn.flush.mode", "connector");
    properties.setProperty("message.prefix.include.list", messagePrefixes);
    properties.setProperty("include.unknown.datatypes", "true");
    if (!tables.isEmpty()) {
      properties.setProperty("table.include.list", tableList(tables));
    }
    return properties;
  }

  private static String tableList(List<TableId> tables) {
    return tables.stream().map(CaptureProperties::exactly).collect(Collectors.joining(","));
  }

  /** A regular expression for this name only; a comma in a name would end the expression. */
  static String exactly(TableId table) {
    return quote(table.schema()) + "\\." + quote(table.name());
  }

  private static String quote(String name) {
    StringBuilder pattern = new StringBuilder();
    name.codePoints()
        .forEach(
            letter -> {
              if (Character.isLetterOrDigit(letter) || letter == '_') {
                pattern.appendCodePoint(letter);
              } else {
                pattern.append("\\x{").append(Integer.toHexString(letter)).append('}');
              }
            });
    return pattern.toString();
  }
}
