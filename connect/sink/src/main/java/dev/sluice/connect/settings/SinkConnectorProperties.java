package dev.sluice.connect.settings;

import dev.sluice.config.task.Endpoint;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;

/** Defines the connector's properties for Kafka Connect. Stateless. */
public final class SinkConnectorProperties {
  static final String NAME = "name";
  static final String TOPICS = "topics";
  static final String TOPICS_REGEX = "topics.regex";
  static final String TASKS_MAX = "tasks.max";

  public static final String TASK_NAME = "task.name";
  static final String TARGET_TYPE = "target.type";
  static final String TARGET_URL = "target.url";
  static final String TARGET_PASSWORD = "target.password";
  static final String TOPIC_LAYOUT = "topic.layout";
  static final String START_POSITION = "start.position";
  static final String KAFKA_PREFIX = "kafka.";
  static final String KAFKA_SERVERS = KAFKA_PREFIX + "bootstrap.servers";
  static final String SCHEMA_TOPIC = "schema.topic";
  static final String TRANSACTION_TOPIC = "transaction.topic";

  /** The task's number within the connector; set by the connector, not by the user. */
  public static final String TASK_NUMBER = "sluice.task.number";

  static final String SETTINGS_FILE = "task.settings.file";
  static final String SNAPSHOT_ROWS = "snapshot.rows";
  static final String SOURCE_DECIMALS = "decimal.handling.mode";
  static final String SOURCE_BINARIES = "binary.handling.mode";
  static final String PLACEHOLDER = "unavailable.value.placeholder";

  static final String TARGET_TABLE = "target.table";

  static final String INSERT = "insert";
  static final String REPLACE = "replace";
  static final String HEAP_SHARE = "heap.share";

  private static final String TARGET = "Target";
  private static final String INPUT = "Input";
  private static final String TASK = "Task";

  private static final List<String> DECIMALS = List.of("", "string", "precise", "double");
  private static final List<String> BINARIES =
      List.of("", "bytes", "base64", "base64-url-safe", "hex");

  private static final Set<TopicLayout> OF_DEBEZIUM =
      EnumSet.complementOf(EnumSet.of(TopicLayout.JOURNAL));

  private SinkConnectorProperties() {}

  public static ConfigDef definition() {
    ConfigDef definition = new ConfigDef();
    own(definition);
    SettingKeys.define(definition);
    return definition;
  }

  private static void own(ConfigDef definition) {
    List<String> types = Endpoint.targetTypes();
    definition
        .define(
            TARGET_TYPE,
            Type.STRING,
            Endpoint.POSTGRESQL,
            oneOf(types),
            Importance.HIGH,
            "The type of the target database, as in a task file. A type that this connector cannot"
                + " write to is refused by name.",
            TARGET,
            1,
            Width.MEDIUM,
            "Target type",
            Proposed.of(types))
        .define(
            TARGET_URL,
            Type.STRING,
            ConfigDef.NO_DEFAULT_VALUE,
            Importance.HIGH,
            "The target database: postgresql://user@host:port/database, with options such as"
                + " ?sslmode=verify-full; for another target.type as in a task file. A password in"
                + " it is refused.",
            TARGET,
            2,
            Width.LONG,
            "Target URL")
        .define(
            TARGET_PASSWORD,
            Type.PASSWORD,
            "",
            Importance.HIGH,
            "The password of that user; best by a config provider. Empty: the server asks for"
                + " none.",
            TARGET,
            3,
            Width.MEDIUM,
            "Target password")
        .define(
            TARGET_TABLE,
            Type.STRING,
            TableFormat.SAME,
            Importance.LOW,
            "What the source's tables are called on the target: schema and table, with ${schema}"
                + " and ${table} for those of the event's source block, such as"
                + " archive.${schema}_${table}. The topic's name is not used. One target table"
                + " takes the rows of one source table.",
            TARGET,
            4,
            Width.MEDIUM,
            "Target table")
        .define(
            TOPIC_LAYOUT,
            Type.STRING,
            TopicLayout.JOURNAL.toString(),
            oneOf(TopicLayout.texts()),
            Importance.HIGH,
            "What the topics hold. journal: the ordered journal of a Sluice task, with"
                + " value.converter=org.apache.kafka.connect.converters.ByteArrayConverter."
                + " ordered: all topics of a Debezium PostgreSQL source routed into one of one"
                + " partition, with provide.transaction.metadata=true. tables-with-transactions: a"
                + " topic for each table, and Debezium's transaction topic; transactions are kept"
                + " as well. tables: a topic for each table alone; only the order within each"
                + " partition is kept, and several tasks may share the work.",
            INPUT,
            1,
            Width.MEDIUM,
            "Topic layout",
            List.of(
                START_POSITION,
                SCHEMA_TOPIC,
                SNAPSHOT_ROWS,
                PLACEHOLDER,
                TRANSACTION_TOPIC,
                SOURCE_DECIMALS,
                SOURCE_BINARIES),
            Proposed.of(TopicLayout.texts()))
        .define(
            KAFKA_SERVERS,
            Type.STRING,
            ConfigDef.NO_DEFAULT_VALUE,
            Importance.HIGH,
            "Kafka's servers, to see whether records that are still needed were deleted, and to"
                + " read the schemas of a journal. Further properties of Kafka's clients go by the"
                + " same prefix: kafka.security.protocol.",
            INPUT,
            2,
            Width.LONG,
            "Kafka servers")
        .define(
            START_POSITION,
            Type.STRING,
            "",
            Importance.MEDIUM,
            "Read at the first start only: the position in the source's log (such as 16/B374D848)"
                + " up to which the target holds the source's rows. After that the checkpoint on"
                + " the target counts. Optional if the topic begins with a snapshot.",
            INPUT,
            3,
            Width.MEDIUM,
            "Start position",
            Proposed.of(List.of()).in(EnumSet.complementOf(EnumSet.of(TopicLayout.TABLES))))
        .define(
            SCHEMA_TOPIC,
            Type.STRING,
            "",
            Importance.LOW,
            "The topic of row schemas beside a journal. Empty: the journal's name, its ending"
                + " .journal as .schemas.",
            INPUT,
            4,
            Width.MEDIUM,
            "Schema topic",
            Proposed.of(List.of()).in(EnumSet.of(TopicLayout.JOURNAL)))
        .define(
            SNAPSHOT_ROWS,
            Type.STRING,
            INSERT,
            oneOf(List.of(INSERT, REPLACE)),
            Importance.MEDIUM,
            "What is done with the rows of Debezium's initial snapshot. insert: they are inserted,"
                + " and a row that the target has already goes by apply.error.insert.policy."
                + " replace: each table is emptied before its first row, so that a snapshot that"
                + " broke off and begins again is no conflict.",
            INPUT,
            5,
            Width.SHORT,
            "Snapshot rows",
            Proposed.of(List.of(INSERT, REPLACE)).in(OF_DEBEZIUM))
        .define(
            PLACEHOLDER,
            Type.STRING,
            "__debezium_unavailable_value",
            new ConfigDef.NonEmptyString(),
            Importance.LOW,
            "The source connector's unavailable.value.placeholder: it replaces a large value"
                + " that an UPDATE left as it was. It never reaches the target.",
            INPUT,
            6,
            Width.MEDIUM,
            "Placeholder",
            Proposed.of(List.of()).in(OF_DEBEZIUM))
        .define(
            TRANSACTION_TOPIC,
            Type.STRING,
            "",
            Importance.MEDIUM,
            "The topic of Debezium's transaction metadata in the layout tables-with-transactions;"
                + " it must be one of the topics. Empty: the one whose name ends in .transaction.",
            INPUT,
            7,
            Width.MEDIUM,
            "Transaction topic",
            Proposed.of(List.of()).in(EnumSet.of(TopicLayout.TABLES_WITH_TRANSACTIONS)))
        .define(
            SOURCE_DECIMALS,
            Type.STRING,
            "",
            oneOf(DECIMALS),
            Importance.LOW,
            "The source connector's decimal.handling.mode. Needed for JSON without schemas alone,"
                + " where only string can be read: elsewhere a number in Base64 looks like one in"
                + " digits.",
            INPUT,
            8,
            Width.SHORT,
            "Source's decimals",
            Proposed.of(DECIMALS).in(OF_DEBEZIUM))
        .define(
            SOURCE_BINARIES,
            Type.STRING,
            "",
            oneOf(BINARIES),
            Importance.LOW,
            "The source connector's binary.handling.mode, where it makes texts of bytes: a schema"
                + " does not tell. Needed for JSON without schemas as well, where bytes, base64 and"
                + " hex can be read.",
            INPUT,
            9,
            Width.SHORT,
            "Source's bytes",
            Proposed.of(BINARIES).in(OF_DEBEZIUM))
        .define(
            TASK_NAME,
            Type.STRING,
            "",
            Importance.MEDIUM,
            "The name under which the target keeps the checkpoint. Empty: the connector's name.",
            TASK,
            1,
            Width.MEDIUM,
            "Task name")
        .define(
            SETTINGS_FILE,
            Type.STRING,
            "",
            Importance.MEDIUM,
            "A file of DMS task settings on the worker, JSON or YAML. A property that says"
                + " something else counts instead.",
            TASK,
            2,
            Width.LONG,
            "Task settings file")
        .define(
            HEAP_SHARE,
            Type.DOUBLE,
            0.5,
            ConfigDef.Range.between(0.01, 1),
            Importance.LOW,
            "The part of the worker's heap that this task may count as its own. Memory settings"
                + " are ceilings within that.",
            TASK,
            3,
            Width.SHORT,
            "Heap share");
  }

  private static ConfigDef.Validator oneOf(List<String> values) {
    return ConfigDef.ValidString.in(values.toArray(String[]::new));
  }
}
