package dev.sluice.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.connect.SluiceSinkConnector;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example for Strimzi has the configurations that the command line prints. */
final class StrimziExampleTest {
  private static final Path EXAMPLES = Path.of("../release/src/examples");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /** What a worker in a pod needs in addition. */
  private static final List<String> OF_THE_POD = List.of("swap.directory", "swap.limit");

  @TempDir Path directory;

  private final Map<String, JsonNode> resources = new HashMap<>();
  private ConnectorPair pair;

  @BeforeEach
  void read() throws IOException {
    try (var documents =
        YAML.readerFor(JsonNode.class)
            .<JsonNode>readValues(EXAMPLES.resolve("strimzi.yaml").toFile())) {
      documents.forEachRemaining(
          resource -> resources.put(resource.at("/metadata/name").asText(), resource));
    }
    assertThat(resources)
        .containsOnlyKeys("sluice", "sluice.shop.changes", "shop-source", "shop-sink");
    String tables = Files.readString(EXAMPLES.resolve("cdc-from-a-kafka-cluster.yaml"));
    TaskConfig task =
        TaskFile.read(
            Files.writeString(
                directory.resolve("shop.yaml"),
                """
                task: shop
                migration-type: full-load-and-cdc
                source:
                  type: postgresql
                  url: postgresql://replicator@source.example:5432/shop?sslmode=require
                  password: any
                target:
                  type: postgresql
                  url: postgresql://loader@target.example:5432/shop?sslmode=require
                  password: any
                kafka:
                  bootstrap.servers: kafka-kafka-bootstrap:9092
                """
                    + tables.substring(
                        tables.indexOf("table-mappings:"), tables.indexOf("task-settings:"))));
    pair =
        ConnectorPair.of(
            task,
            Sources.unowned(task).connector(),
            ConnectLayout.ORDERED,
            ConnectConverter.JSON,
            List.of(table("orders", "id"), table("order_lines", "id")));
  }

  @Test
  void theSourcesConfigurationIsTheOneThatConnectConfigPrints() {
    assertThat(configurationOf("shop-source")).isEqualTo(pair.source());
  }

  @Test
  void theSinksConfigurationIsTheOneThatConnectConfigPrintsAndTheConnectorTakesIt() {
    Map<String, String> configuration = configurationOf("shop-sink");
    assertThat(new SluiceSinkConnector().config().validate(configuration))
        .flatExtracting(ConfigValue::errorMessages)
        .isEmpty();
    configuration.keySet().removeAll(OF_THE_POD);
    assertThat(configuration).isEqualTo(pair.sink());
  }

  @Test
  void theTopicKeepsOneOrderForever() {
    JsonNode topic = resources.get(pair.topic().orElseThrow());
    assertThat(topic.at("/spec/partitions").asInt()).isEqualTo(1);
    assertThat(topic.at("/spec/config/retention.ms").asInt()).isEqualTo(-1);
  }

  @Test
  void whatTheSinkKeepsOnDiskHasRoomInThePod() {
    Map<String, String> sink = configurationOf("shop-sink");
    JsonNode pod = resources.get("sluice").at("/spec/template");
    assertThat(sink.get("swap.directory"))
        .startsWith(pod.at("/connectContainer/volumeMounts/0/mountPath").asText() + "/");
    String room = pod.at("/pod/volumes/0/emptyDir/sizeLimit").asText();
    assertThat(room).endsWith("Gi");
    assertThat(Long.parseLong(room.replace("Gi", "")) * 1024)
        .as("swap.limit holds twice, in MB")
        .isGreaterThanOrEqualTo(2 * Long.parseLong(sink.get("swap.limit")));
  }

  @Test
  void eachPasswordIsAVariableThatASecretFills() {
    JsonNode variables = resources.get("sluice").at("/spec/template/connectContainer/env");
    for (String connector : List.of("shop-source", "shop-sink")) {
      configurationOf(connector)
          .forEach(
              (name, value) -> {
                if (name.endsWith("password")) {
                  assertThat(value).matches("\\$\\{env:[A-Z_]+}");
                  assertThat(variables)
                      .anyMatch(
                          variable ->
                              value.equals("${env:" + variable.path("name").asText() + "}")
                                  && variable.at("/valueFrom/secretKeyRef").has("key"));
                }
              });
    }
  }

  @Test
  void theVersionOfDebeziumIsTheOneThatIsTested() throws IOException {
    String pom = Files.readString(Path.of("../pom.xml"));
    assertThat(pom)
        .contains(
            "<debezium.connector.version>"
                + resources.get("sluice").at("/spec/build/plugins/1/artifacts/0/version").asText()
                + "</debezium.connector.version>");
  }

  /** As Strimzi gives it to the worker. */
  private Map<String, String> configurationOf(String connector) {
    JsonNode resource = resources.get(connector);
    Map<String, String> configuration = new HashMap<>();
    configuration.put("name", connector);
    configuration.put("connector.class", resource.at("/spec/class").asText());
    configuration.put("tasks.max", resource.at("/spec/tasksMax").asText());
    resource
        .at("/spec/config")
        .properties()
        .forEach(property -> configuration.put(property.getKey(), property.getValue().asText()));
    return configuration;
  }

  private static CatalogTable table(String name, String key) {
    TableId table = new TableId("public", name);
    return new CatalogTable(
        table,
        table,
        CatalogTable.Kind.ORDINARY,
        CatalogTable.Persistence.LOGGED,
        CatalogTable.OldRow.PRIMARY_KEY,
        List.of(new CatalogColumn(key, "integer", false, true, false, false)),
        null,
        0,
        true,
        true,
        false);
  }
}
