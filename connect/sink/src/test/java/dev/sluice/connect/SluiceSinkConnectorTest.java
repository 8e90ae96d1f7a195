package dev.sluice.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.SettingProperties;
import dev.sluice.connect.settings.ConnectorSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

final class SluiceSinkConnectorTest {
  @TempDir static Path directory;
  private static ConnectLab lab;

  private final SluiceSinkConnector connector = new SluiceSinkConnector();
  private Map<String, String> properties;
  private String name;

  @BeforeAll
  static void start() throws Exception {
    lab = new ConnectLab(directory.resolve("kafka"));
  }

  @AfterAll
  static void stop() throws Exception {
    lab.close();
  }

  @BeforeEach
  void begin() throws Exception {
    name = lab.begin();
    properties = lab.properties(name);
  }

  @Test
  void theConnectorIsFoundAsAServiceAndReportsItsRelease() {
    assertThat(ServiceLoader.load(SinkConnector.class))
        .anySatisfy(found -> assertThat(found).isInstanceOf(SluiceSinkConnector.class));
    assertThat(connector.version()).matches("[0-9]+\\.[0-9]+\\.[0-9]+.*");
    assertThat(new SluiceSinkTask().version()).isEqualTo(connector.version());
  }

  @Test
  void eachPropertyHasAGroupADocumentationAndADisplayName() {
    Map<String, ConfigKey> keys = connector.config().configKeys();
    assertThat(keys).hasSizeGreaterThan(SettingProperties.all().size());
    keys.values()
        .forEach(
            key -> {
              if (SettingProperties.all().stream().anyMatch(p -> p.name().equals(key.name))) {
                assertThat(key.validator).as(key.name).isNotNull();
              }
              assertThat(key.group).as(key.name).isNotBlank();
              assertThat(key.documentation).as(key.name).isNotBlank();
              assertThat(key.displayName).as(key.name).isNotBlank();
              assertThat(key.orderInGroup).as(key.name).isPositive();
              boolean isChosen =
                  key.type == ConfigDef.Type.BOOLEAN || key.validator instanceof ValidString;
              if (isChosen) {
                assertThat(key.recommender.validValues(key.name, Map.of()))
                    .as(key.name)
                    .isNotEmpty();
              }
            });
    assertThat(keys.get("batch.apply.timeout.max").defaultValue).isEqualTo(30.0);
    assertThat(keys.get("batch.apply.timeout.min").type)
        .as("a number, or auto")
        .isEqualTo(ConfigDef.Type.STRING);
    assertThat(keys.get("data.error.policy").recommender.validValues("", Map.of()))
        .contains("STOP_TASK", "LOG_ERROR");
    assertThat(keys.get("target.password").type).isEqualTo(ConfigDef.Type.PASSWORD);
  }

  @Test
  void soundPropertiesHaveNoProblem() {
    assertThat(problems()).isEmpty();
    assertThat(lab.properties(name)).isEqualTo(properties);
  }

  @Test
  void aTypeOfTargetThatIsNotKnownIsReportedWithThoseThatAre() {
    properties.put("target.type", "oracle");
    assertThat(problems()).containsOnlyKeys("target.type");
    assertThat(problems().get("target.type").toString())
        .contains("oracle", "db2, mariadb, mysql, postgresql, yugabytedb");
    assertThatThrownBy(() -> connector.start(properties))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("target.type: oracle; expected one of: db2, mariadb");
  }

  @Test
  void windowsMayTuneThemselves() {
    properties.put("batch.apply.timeout.min", "auto");
    properties.put("batch.apply.latency.goal", "0.5");
    assertThat(problems()).isEmpty();
  }

  @Test
  void everyWrongValueIsReportedAtItsProperty() {
    properties.put("batch.split.size", "-1");
    properties.put("batch.apply.timeout.min", "often");
    properties.put("memory.keep.time", "soon");
    properties.put("data.error.policy", "STOP");
    properties.put("topic.layout", "none");
    properties.put("heap.share", "most");
    assertThat(problems())
        .containsOnlyKeys(
            "batch.split.size",
            "batch.apply.timeout.min",
            "memory.keep.time",
            "data.error.policy",
            "topic.layout",
            "heap.share");
    assertThat(problems().get("batch.split.size").toString()).contains("0 to 2147483647");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "target.url | oracle://loader@db/target",
        "start.position | here",
        "schema.topic | sluice.nobody.schemas",
        "snapshot.rows | forget",
        "unavailable.value.placeholder | ''",
        "unavailable.value.placeholder | hex:odd",
        "decimal.handling.mode | exact",
        "binary.handling.mode | octal",
        "task.name | a b c",
        "task.settings.file | /nowhere/settings.json",
        "target.table | archive.all",
        "heap.share | 0",
        "kafka.bootstrap.servers | nowhere",
        "topics.regex | sluice.["
      })
  void anyPropertyThatIsWrongIsNamedItself(String property, String value) {
    properties.put(property, value);
    assertThat(problems()).containsKey(property);
    if (!property.equals("topics.regex")) {
      assertThat(problems()).containsOnlyKeys(property);
    }
  }

  @Test
  void aPropertyIsShownOnlyInTheLayoutsInWhichItCounts() {
    assertThat(hidden("journal"))
        .containsExactlyInAnyOrder(
            "transaction.topic",
            "snapshot.rows",
            "unavailable.value.placeholder",
            "decimal.handling.mode",
            "binary.handling.mode");
    assertThat(hidden("ordered")).containsExactlyInAnyOrder("schema.topic", "transaction.topic");
    assertThat(hidden("tables-with-transactions")).containsExactly("schema.topic");
    assertThat(hidden("tables"))
        .containsExactlyInAnyOrder("schema.topic", "transaction.topic", "start.position");
    assertThat(hidden("none")).as("a layout that is none hides nothing").isEmpty();
    assertThat(connector.config().configKeys().get("topic.layout").dependents)
        .contains("transaction.topic", "schema.topic");
  }

  @Test
  void aWrongPasswordIsReportedAtThePassword() throws Exception {
    lab.askForPasswords("guarded", "right");
    properties.put("target.url", properties.get("target.url").replace("loader@", "guarded@"));
    properties.put("target.password", "wrong");
    assertThat(problems()).containsOnlyKeys("target.password");
    assertThat(problems().toString()).doesNotContain("wrong\"");
    properties.remove("target.password");
    assertThat(problems()).containsOnlyKeys("target.password");
    properties.put("target.password", "right");
    assertThat(problems()).doesNotContainKey("target.password");
  }

  private List<String> hidden(String layout) {
    properties.put("topic.layout", layout);
    return connector.config().validate(properties).stream()
        .filter(value -> !value.visible())
        .map(ConfigValue::name)
        .toList();
  }

  @Test
  void problemsFoundOnTheServersAreReportedAtTheirPropertyToo() throws Exception {
    properties.remove("start.position");
    properties.put("topics", "sluice.nobody.journal");
    properties.put("schema.topic", ConnectLab.schemas(name));
    properties.put("target.url", properties.get("target.url").replace("loader@", "nobody@"));
    assertThat(problems()).containsOnlyKeys("topics", "target.url");
    properties.put("target.url", properties.get("target.url").replace("nobody@", "loader@"));
    assertThat(problems()).containsOnlyKeys("topics", "start.position");
    lab.create("sluice.wide.journal", 2);
    properties.put("topics", "sluice.wide.journal");
    assertThat(problems().get("topics").toString()).contains("has 2 partitions");
    properties.put("kafka.bootstrap.servers", "nowhere.invalid:9092");
    assertThat(problems()).containsKey("kafka.bootstrap.servers");
  }

  @Test
  void aSecondTaskIsRefusedWithTheReason() {
    properties.put("tasks.max", "2");
    assertThat(problems()).containsOnlyKeys("tasks.max");
    assertThat(problems().get("tasks.max").toString()).contains("commit order");
    assertThatThrownBy(() -> connector.start(properties))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("commit order");
  }

  @Test
  void aTopicForEachTableNeedsTheTransactionTopicAmongThemAndOneTask() {
    properties.remove("start.position");
    properties.put("topic.layout", "tables-with-transactions");
    properties.put("topics", "shop.shop.items,shop.shop.orders");
    assertThat(problems()).containsOnlyKeys("transaction.topic");
    properties.put("topics", "shop.shop.items,shop.transaction");
    properties.put("tasks.max", "3");
    assertThat(problems()).containsOnlyKeys("tasks.max");
    assertThat(problems().get("tasks.max").toString()).contains("commit order");
    properties.put("tasks.max", "1");
    assertThat(problems()).as("topics that are not there yet are made by Debezium").isEmpty();
    assertThat(ConnectorSettings.of(properties).input().transactionTopic())
        .contains("shop.transaction");
    properties.remove("topics");
    properties.put("topics.regex", "shop[.].*");
    assertThat(problems()).containsOnlyKeys("transaction.topic");
    properties.put("transaction.topic", "shop.transaction");
    assertThat(problems()).isEmpty();
    assertThat(ConnectorSettings.of(properties).input().reads("shop.shop.items")).isTrue();
    assertThat(ConnectorSettings.of(properties).input().reads("other.items")).isFalse();
  }

  @Test
  void theTransactionTopicMustHaveOnePartitionAndATablesMayHaveMany() throws Exception {
    properties.remove("start.position");
    properties.put("topic.layout", "tables-with-transactions");
    properties.put("topics", "wide.shop.items,wide.transaction");
    lab.create("wide.shop.items", 2);
    lab.create("wide.transaction", 2);
    assertThat(problems()).containsOnlyKeys("topics");
    assertThat(problems().get("topics").toString()).contains("wide.transaction has 2 partitions");
  }

  @Test
  void severalTasksShareTheTablesWhereTransactionsAreNotKept() {
    properties.remove("start.position");
    properties.put("topic.layout", "tables");
    properties.put("topics", "shop.shop.items");
    properties.put("tasks.max", "3");
    assertThat(problems()).isEmpty();
    connector.start(properties);
    assertThat(connector.taskConfigs(3))
        .extracting(task -> ConnectorSettings.of(task).sinkSettings().swapDirectory())
        .doesNotHaveDuplicates()
        .hasSize(3);
  }

  @Test
  void settingsThatNeedOneOrderOfAllPartitionsAreRejectedWithoutIt() {
    properties.put("topic.layout", "tables");
    properties.put("topics", "shop.shop.items");
    properties.put("start.position", "0/10");
    properties.put("table.error.policy", "SUSPEND_TABLE");
    assertThat(problems()).containsOnlyKeys("start.position", "table.error.policy");
  }

  @Test
  void aFileOfTaskSettingsIsReadAndItsProblemsAreReported() throws Exception {
    Path file = directory.resolve("settings.json");
    Files.writeString(file, "{\"ChangeProcessingTuning\": {\"BatchSplitSize\": \"many\"}}");
    properties.put("task.settings.file", file.toString());
    assertThat(problems()).containsOnlyKeys("task.settings.file");
    assertThat(problems().get("task.settings.file").toString()).contains("BatchSplitSize");
    Files.writeString(file, "{\"ChangeProcessingTuning\": {\"BatchSplitSize\": 70}}");
    assertThat(problems()).isEmpty();
    assertThat(
            ConnectorSettings.of(properties)
                .taskSettings()
                .get(ChangeProcessingTuning.BATCH_SPLIT_SIZE))
        .isEqualTo(70);
  }

  @Test
  void noProblemShowsThePassword() {
    properties.put("target.password", "hunter2");
    properties.put("target.url", "postgresql://loader:hunter2@nowhere.invalid/target");
    assertThat(problems().toString()).doesNotContain("hunter2");
    properties.put("target.url", "postgresql://loader@nowhere.invalid/target");
    assertThat(problems().toString()).contains("nowhere.invalid").doesNotContain("hunter2");
  }

  @Test
  void eachTaskLogsWhichOrderItKeeps() {
    properties.remove("start.position");
    for (String layout : List.of("ordered", "tables-with-transactions", "tables")) {
      properties.put("topic.layout", layout);
      properties.put(
          "topics",
          layout.equals("tables-with-transactions") ? "a.items,a.transaction" : "a.items");
      assertThat(loggedAtTheStart())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("layout " + layout)
                      .contains(
                          layout.equals("tables")
                              ? "Transactions are NOT kept"
                              : "transactions are applied whole, in the source's commit order"));
    }
  }

  private List<String> loggedAtTheStart() {
    Logger log = (Logger) LoggerFactory.getLogger(SluiceSinkTask.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.addAppender(lines);
    Level before = log.getLevel();
    log.setLevel(Level.INFO);
    TestWorker context = lab.worker(properties, Set.of());
    try {
      SluiceSinkTask task = new SluiceSinkTask();
      task.initialize(context);
      task.start(properties);
    } finally {
      context.vanish();
      log.setLevel(before);
      log.detachAppender(lines);
    }
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private Map<String, List<String>> problems() {
    Map<String, List<String>> problems = new TreeMap<>();
    for (ConfigValue value : connector.validate(properties).configValues()) {
      if (!value.errorMessages().isEmpty()) {
        problems.put(value.name(), value.errorMessages());
      }
    }
    return problems;
  }
}
