package dev.sluice.connector.mariadb;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.ConnectProperties;
import dev.sluice.connector.api.source.RetainedChanges;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;
import java.util.Map;

/**
 * Refuses by name what Sluice cannot do with this source yet. Immutable.
 *
 * @param type of the source, as the task file names it
 */
record UnsupportedUses(String type) implements RetainedChanges, ConnectProperties {
  @Override
  public Found after(Position position) {
    throw afterwards();
  }

  @Override
  public boolean shows(Position fence) {
    throw afterwards();
  }

  @Override
  public void giveUp(Position upTo) {
    // No log is kept for the task.
  }

  private SluiceException afterwards() {
    return new SluiceException.Fatal(
        new Problem(
            "source.type " + type,
            "changes of this source after a cutover cannot be counted yet",
            "applications that write to the target only",
            "Make the source read-only: SET GLOBAL read_only = ON"));
  }

  @Override
  public Map<String, String> of(String topicPrefix, List<CatalogTable> tables, boolean loads) {
    throw connect();
  }

  @Override
  public List<String> notes(List<CatalogTable> tables) {
    throw connect();
  }

  private SluiceException connect() {
    return new SluiceException.Fatal(
        new Problem(
            "source.type " + type,
            "the connector in Kafka Connect reads records of Debezium's PostgreSQL connector only",
            "a source of type postgresql",
            "Run the task with sluice run"));
  }
}
