package dev.sluice.connector.generic.config;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.ConnectProperties;
import dev.sluice.connector.api.source.RetainedChanges;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;
import java.util.Map;

/** What Sluice cannot do with a Debezium connector: each use is refused by name. Stateless. */
public final class NotBuilt implements RetainedChanges, ConnectProperties {

  public static Problem problem(String found, String expected, String fix) {
    return new Problem("source.type debezium", found, expected, fix);
  }

  /** That the tables of both sides cannot be compared. */
  public static Problem comparison() {
    return problem(
        "its tables cannot be compared with the target's: no snapshot of this database is known"
            + " at a position of the journal",
        "a source of type postgresql, mariadb or mysql",
        "Set EnableValidation to false. Compare by SQL on both sides, while nobody writes");
  }

  /** That the end of the log at a moment is not known. */
  public static Problem fences() {
    return problem(
        "nothing tells whether Debezium has read this database's log up to a moment, so it cannot"
            + " be known that the target has all changes",
        "a source of type postgresql, mariadb or mysql",
        "Stop the applications, wait until sluice status shows no new changes, and compare by SQL"
            + " on both sides before they write to the target");
  }

  public static SluiceException.Fatal refused(String found, String expected) {
    return new SluiceException.Fatal(problem(found, expected, ""));
  }

  @Override
  public Found after(Position position) {
    throw refused("changes after a cutover cannot be counted", "no cutover");
  }

  @Override
  public boolean shows(Position fence) {
    throw refused("changes after a cutover cannot be counted", "no cutover");
  }

  @Override
  public void giveUp(Position upTo) {
    // The log is kept for nobody.
  }

  @Override
  public Map<String, String> of(String topicPrefix, List<CatalogTable> tables, boolean loads) {
    throw connect();
  }

  @Override
  public List<String> notes(List<CatalogTable> tables) {
    throw connect();
  }

  private static SluiceException connect() {
    return refused(
        "the connector in Kafka Connect reads records of Debezium's PostgreSQL connector only",
        "a source of type postgresql");
  }
}
