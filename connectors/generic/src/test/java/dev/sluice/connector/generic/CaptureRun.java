package dev.sluice.connector.generic;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.time.Duration;
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

  GenericCapture start(
      ConnectorFolder folder,
      Optional<Bookmark> bookmark,
      List<CatalogTable> tables,
      JournalTopics into) {
    return new GenericCapture(
        new GenericCapture.Setup(
            task,
            folder,
            new ConnectorProperties(connector, connectorProperties),
            true,
            Map.of(
                "schema.history.internal",
                "io.debezium.storage.kafka.history.KafkaSchemaHistory",
                "schema.history.internal.kafka.topic",
                "sluice." + task + ".history",
                "schema.history.internal.kafka.bootstrap.servers",
                brokers)),
        bookmark,
        new CaptureRequest(
            term,
            start,
            Map.of("bootstrap.servers", brokers),
            into,
            DataSize.ofMebibytes(64),
            Duration.ofSeconds(5)),
        CaptureScope.of(new SourceCatalog(tables)));
  }
}
