package dev.sluice.connector.generic;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.generic.config.ConnectorProperties;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.process.ConnectorFolder;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.generic.start.CaptureState;
import dev.sluice.connector.generic.start.JournaledStart;
import dev.sluice.connector.generic.start.StopSearch;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.Publisher;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The parameters of one capture of a test. */
record CaptureRun(
    KnownConnector connector,
    Map<String, String> connectorProperties,
    String task,
    String schema,
    String brokers,
    long term,
    Position start) {

  /** Goes on after what the journal has. */
  GenericCapture start(ConnectorFolder folder, List<CatalogTable> tables, JournalTopics into) {
    Publisher publisher = Publisher.alone(request(into));
    try (Journal journal = new Journal(client(), into)) {
      return start(folder, tables, publisher, JournaledStart.of(journal, request(into), publisher));
    } catch (RuntimeException e) {
      publisher.close();
      throw e;
    }
  }

  /** Goes on after a place that another journal has. */
  GenericCapture startAside(
      ConnectorFolder folder,
      List<CatalogTable> tables,
      JournalTopics into,
      Optional<Bookmark> after) {
    return start(folder, tables, Publisher.alone(request(into)), new JournaledStart(start, after));
  }

  private GenericCapture start(
      ConnectorFolder folder,
      List<CatalogTable> tables,
      Publisher publisher,
      JournaledStart journaled) {
    return new GenericCapture(
        new GenericCapture.Setup(
            task,
            folder,
            new ConnectorProperties(connector, connectorProperties),
            true,
            Instant.now(),
            // Without a stop it asks nobody.
            new StopSearch(null, new CaptureState(), Clock.systemUTC()),
            () -> {},
            Map.of(
                "schema.history.internal",
                "io.debezium.storage.kafka.history.KafkaSchemaHistory",
                "schema.history.internal.kafka.topic",
                "sluice." + task + ".history",
                "schema.history.internal.kafka.bootstrap.servers",
                brokers)),
        journaled,
        publisher,
        CaptureScope.of(new SourceCatalog(tables)),
        () -> {});
  }

  private CaptureRequest request(JournalTopics into) {
    return new CaptureRequest(
        term, start, client(), into, DataSize.ofMebibytes(64), Duration.ofSeconds(5));
  }

  private Map<String, Object> client() {
    return Map.of("bootstrap.servers", brokers);
  }
}
