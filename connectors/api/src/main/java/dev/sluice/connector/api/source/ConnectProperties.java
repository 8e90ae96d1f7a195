package dev.sluice.connector.api.source;

import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;
import java.util.Map;

/**
 * The configuration of the connector that reads the same source in Kafka Connect: Debezium's.
 * Immutable.
 */
public interface ConnectProperties {

  /**
   * The connector's class and all properties that depend on the database.
   *
   * @param topicPrefix of the topics that it writes
   * @param tables that it captures
   * @param loads whether it begins with the rows that are there
   */
  Map<String, String> of(String topicPrefix, List<CatalogTable> tables, boolean loads);

  /** What the user must know or do on the source, one line each. */
  List<String> notes(List<CatalogTable> tables);
}
