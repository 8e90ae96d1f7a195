package dev.sluice.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.connect.SluiceSinkConnector;
import dev.sluice.connect.converter.BinaryConverter;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConnectorPairTest {
  private static final String ASSIGNMENT = "consumer.override.partition.assignment.strategy";

  @TempDir Path directory;

  @Test
  void theKeysOfTheSourceAndTheSettingsOfTheTaskAreInTheConnectors() throws IOException {
    ConnectorPair pair =
        pair(
            task(),
            ConnectLayout.ORDERED,
            ConnectConverter.JSON,
            List.of(table("items", "id", "name"), table("order-lines", "id", "line")));
    assertThat(pair.source())
        .containsEntry("table.include.list", "shop\\.items,shop\\.order\\-lines")
        .containsEntry("message.key.columns", "shop\\.items:id;shop\\.order\\-lines:id")
        .containsEntry("provide.transaction.metadata", "true")
        .containsEntry("skipped.operations", "none")
        .containsEntry("snapshot.mode", "initial")
        .containsEntry("transforms.route.replacement", pair.topic().orElseThrow())
        .containsEntry("value.converter.replace.null.with.default", "false");
    assertThat(pair.sink())
        .containsEntry("topics", pair.topic().orElseThrow())
        .containsEntry("target.url", "postgresql://loader@db2:5433/shop?sslmode=require")
        .containsEntry("batch.apply.timeout.min", "0.2")
        .containsEntry("kafka.bootstrap.servers", "broker1:9092");
    assertThat(pair.toString()).doesNotContain("hunter2");
  }

  @Test
  void theTopicIsAStepOfItsOwnSinceARegistrationTakesItByItself() throws IOException {
    ConnectorPair ordered = pair(task(), ConnectLayout.ORDERED, ConnectConverter.JSON, List.of());
    assertThat(ordered.firstSteps())
        .singleElement()
        .asString()
        .contains("--create --topic sluice.shop.changes --partitions 1");
    assertThat(ordered.notes()).noneMatch(note -> note.contains("topic"));
    assertThat(pair(task(), ConnectLayout.TABLES, ConnectConverter.JSON, List.of()).firstSteps())
        .isEmpty();
  }

  @Test
  void theSinksConfigurationIsOneThatTheConnectorTakes() throws IOException {
    for (ConnectLayout layout : ConnectLayout.values()) {
      ConnectorPair pair =
          pair(task(), layout, ConnectConverter.JSON, List.of(table("items", "id", "name")));
      assertThat(new SluiceSinkConnector().config().validate(pair.sink()))
          .flatExtracting(ConfigValue::errorMessages)
          .isEmpty();
    }
  }

  @Test
  void theSinkHasTheTypeAndTheAddressOfAnotherTarget() throws IOException {
    task();
    Path file = directory.resolve("task.yaml");
    String other = "mariadb\n  url: mariadb://loader@db2:3307/shop?sslMode=trust";
    String text = Files.readString(file);
    String known = "postgresql\n  url: postgresql://loader@db2:5433/shop?sslmode=require";
    assertThat(text).contains(known);
    Files.writeString(file, text.replace(known, other));
    TaskConfig config = TaskFile.read(file);
    ConnectorPair pair = pair(config, ConnectLayout.ORDERED, ConnectConverter.JSON, List.of());
    Endpoint read = ConnectorSettings.of(pair.sink()).target();
    assertThat(read.jdbcUrl()).isEqualTo(config.target().jdbcUrl());
    assertThat(read).hasToString(config.target().toString());
    assertThat(pair.sink()).containsEntry("target.type", "mariadb");
    assertThat(pair(task(), ConnectLayout.ORDERED, ConnectConverter.JSON, List.of()).sink())
        .doesNotContainKey("target.type");
  }

  @Test
  void theSourceHasTheConverterThatIsAskedForAndTheSinkReadsBytes() throws IOException {
    ConnectorPair pair = pair(task(), ConnectLayout.ORDERED, ConnectConverter.BINARY, List.of());
    assertThat(pair.source())
        .containsEntry("key.converter", BinaryConverter.class.getName())
        .containsEntry("value.converter", BinaryConverter.class.getName())
        .doesNotContainKeys("value.converter.schemas.enable", "header.converter");
    String bytes = "org.apache.kafka.connect.converters.ByteArrayConverter";
    for (ConnectConverter converter : ConnectConverter.values()) {
      assertThat(pair(task(), ConnectLayout.ORDERED, converter, List.of()).sink())
          .containsEntry("key.converter", bytes)
          .containsEntry("value.converter", bytes)
          .containsEntry("header.converter", bytes)
          .doesNotContainKey("value.converter.schemas.enable");
    }
  }

  @Test
  void theLayoutsWithATopicForEachTableNameThem() throws IOException {
    List<CatalogTable> tables = List.of(table("items", "id", "name"), table("o l", "id", "n"));
    ConnectorPair joined =
        pair(task(), ConnectLayout.TABLES_WITH_TRANSACTIONS, ConnectConverter.JSON, tables);
    assertThat(joined.topic()).isEmpty();
    assertThat(joined.source())
        .doesNotContainKey("transforms")
        .containsEntry("provide.transaction.metadata", "true")
        .containsEntry("topic.creation.default.retention.ms", "-1");
    assertThat(joined.sink())
        .containsEntry("topic.layout", "tables-with-transactions")
        .containsEntry(
            "topics", "sluice.shop.shop.items,sluice.shop.shop.o_l,sluice.shop.transaction")
        .containsEntry("transaction.topic", "sluice.shop.transaction");
    ConnectorPair relaxed = pair(task(), ConnectLayout.TABLES, ConnectConverter.JSON, tables);
    assertThat(joined.sink()).doesNotContainKey(ASSIGNMENT);
    assertThat(relaxed.sink())
        .containsEntry("topic.layout", "tables")
        .containsEntry(ASSIGNMENT, "org.apache.kafka.clients.consumer.RoundRobinAssignor")
        .containsEntry("topics", "sluice.shop.shop.items,sluice.shop.shop.o_l");
    assertThat(relaxed.notes()).anyMatch(note -> note.contains("Transactions are not kept"));
  }

  @Test
  void aTableWhoseChangesWouldFailIsNoted() throws IOException {
    CatalogTable keyless =
        new CatalogTable(
            new TableId("shop", "audit"),
            new TableId("shop", "audit"),
            CatalogTable.Kind.ORDINARY,
            CatalogTable.Persistence.LOGGED,
            CatalogTable.OldRow.PRIMARY_KEY,
            List.of(new CatalogColumn("what", "text", true, false, false, false)),
            null,
            0,
            true,
            true,
            false);
    assertThat(pair(task(), ConnectLayout.ORDERED, ConnectConverter.JSON, List.of(keyless)).notes())
        .anyMatch(note -> note.contains("ALTER TABLE \"shop\".\"audit\" REPLICA IDENTITY FULL"));
  }

  @Test
  void whatTheConnectorsCannotDoIsRefused() throws IOException {
    TaskConfig task =
        task(
            """
                  filters:
                    - filter-type: source
                      column-name: c
                      filter-conditions: [ { filter-operator: "null" } ]
                - rule-type: transformation
                  rule-id: "2"
                  rule-target: schema
                  rule-action: convert-lowercase
                  object-locator: { schema-name: shop }
                - rule-type: selection
                  rule-id: "3"
                  rule-action: include
                  object-locator: { schema-name: shop, table-name: v, table-type: view }
            """);

    assertThatThrownBy(() -> pair(task, ConnectLayout.ORDERED, ConnectConverter.JSON, List.of()))
        .hasMessageContaining("the rules have filters")
        .hasMessageContaining("the rules have views")
        .hasMessageContaining("the rules have transformations");
  }

  private TaskConfig task() throws IOException {
    return task("");
  }

  private TaskConfig task(String furtherRules) throws IOException {
    Path file = directory.resolve("task.yaml");
    Files.writeString(
        file,
        """
        task: shop
        migration-type: full-load-and-cdc
        source:
          type: postgresql
          url: postgresql://replicator@db1:5432/shop
          password: hunter2
        target:
          type: postgresql
          url: postgresql://loader@db2:5433/shop?sslmode=require
          password: hunter2
        kafka:
          bootstrap.servers: broker1:9092
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: all
              rule-action: include
              object-locator: { schema-name: shop, table-name: "%%" }
        %s
        task-settings:
          ChangeProcessingTuning: { BatchApplyTimeoutMin: 0.2 }
        """
            .formatted(furtherRules));
    return TaskFile.read(file);
  }

  private static CatalogTable table(String name, String key, String other) {
    TableId table = new TableId("shop", name);
    return new CatalogTable(
        table,
        table,
        CatalogTable.Kind.ORDINARY,
        CatalogTable.Persistence.LOGGED,
        CatalogTable.OldRow.PRIMARY_KEY,
        List.of(
            new CatalogColumn(key, "integer", false, true, false, false),
            new CatalogColumn(other, "text", true, false, false, false)),
        null,
        0,
        true,
        true,
        false);
  }

  private static ConnectorPair pair(
      TaskConfig task,
      ConnectLayout layout,
      ConnectConverter converter,
      List<CatalogTable> tables) {
    return ConnectorPair.of(task, Sources.unowned(task).connector(), layout, converter, tables);
  }
}
