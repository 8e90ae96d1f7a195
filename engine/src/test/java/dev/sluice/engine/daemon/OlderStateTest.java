package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.rows;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.task.TaskIdentity;
import dev.sluice.sink.intake.SchemaTopic;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * State that an older build left is upgraded. {@code older-state/README.md} says how it was made.
 * Whole tasks of an older build are upgraded by {@code endtoend/upgrade-from}.
 */
class OlderStateTest {
  private static final String OLDER = "older";
  private static final String NEW = "fresh";
  private static final String TASK = "shop";

  /** Whatever a control table is made of, whichever column was added when. */
  private static final String SHAPE =
      """
      SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid), a.attidentity::text
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
        AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = '%1$s'::regnamespace AND c.relkind = 'r'
      UNION ALL
      SELECT 'key', conrelid::regclass::text, pg_get_constraintdef(oid), '', true, '', ''
      FROM pg_constraint WHERE connamespace = '%1$s'::regnamespace AND contype <> 'n'
      UNION ALL
      SELECT 'index', tablename, indexdef, '', true, '', '' FROM pg_indexes
      WHERE schemaname = '%1$s'
      ORDER BY 1, 2, 3
      """;

  private static final String FUNCTIONS =
      "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'sluice_ddl'::regnamespace"
          + " ORDER BY proname";

  /** A restored dump has the oids of the database where it was made. */
  private static final String AT_HOME =
      """
      UPDATE sluice_ddl.home SET known = 'sluice_ddl.known'::regclass,
        database = (SELECT oid FROM pg_database WHERE datname = current_database());
      UPDATE sluice_ddl.followed f SET relation = (SELECT format('%I.%I', definition ->> 'schema',
          definition ->> 'name')::regclass
        FROM sluice_ddl.known k WHERE k.relation = f.relation ORDER BY entry DESC LIMIT 1);
      UPDATE sluice_ddl.known SET relation = format('%I.%I', definition ->> 'schema',
        definition ->> 'name')::regclass
      """;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void itsControlSchemaIsReadAsItIsAndBecomesThatOfANewTask() throws Exception {
    EmbeddedPostgres target = SERVERS.target();
    target.createDatabase(OLDER);
    target.createDatabase(NEW);
    execute(target, OLDER, resource("target.sql"));
    TaskContext context = TaskContext.of(config(OLDER));
    Checkpoint before = context.checkpoints().read(TASK).orElseThrow();
    TaskIdentity identity = context.identities().read(TASK).orElseThrow();
    assertThat(before.position()).isGreaterThan(Position.ZERO);
    assertThat(identity.retention()).contains("sluice_shop");
    assertThat(shape(target, OLDER)).noneMatch(line -> line.contains("retention_name"));

    context.checkpoints().create();

    TaskContext.of(config(NEW)).checkpoints().create();
    assertThat(shape(target, OLDER)).hasSizeGreaterThan(200).isEqualTo(shape(target, NEW));
    assertThat(context.checkpoints().read(TASK)).contains(before);
    assertThat(context.identities().read(TASK)).contains(identity);
    assertThat(new SuspendedTables(context.controlSchema(), TASK).read(context.target()))
        .singleElement()
        .satisfies(table -> assertThat(table.table()).isEqualTo(new TableId("shop", "shelf")));
    assertThat(
            text(
                target,
                OLDER,
                "SELECT count(*) FROM sluice_control.sluice_apply_exceptions"
                    + " WHERE table_name = 'item'"))
        .isEqualTo("1");
    assertThat(context.claim().next().epoch()).isEqualTo(before.epoch() + 1);
  }

  @Test
  void itsEventTriggersAreReplacedAndKeepWhatTheyKnowOfTheTask() throws Exception {
    EmbeddedPostgres source = SERVERS.source();
    String older = "older_triggers";
    String fresh = "fresh_triggers";
    for (String database : List.of(older, fresh)) {
      source.createDatabase(database);
      SERVERS.target().createDatabase(database);
    }
    execute(source, older, resource("source.sql"));
    execute(source, older, AT_HOME);
    execute(SERVERS.target(), older, resource("target.sql"));
    List<String> registered = rows(source, older, "SELECT * FROM sluice_ddl.task");
    List<String> followed = rows(source, older, "SELECT * FROM sluice_ddl.followed ORDER BY 2");
    assertThat(registered).hasSize(1);
    assertThat(followed).hasSize(4);
    List<String> before = rows(source, older, FUNCTIONS);

    TaskContext context = TaskContext.of(config(older));
    assertThat(context.source().ddlReporting().install()).isEmpty();

    assertThat(TaskContext.of(config(fresh)).source().ddlReporting().install()).isEmpty();
    assertThat(rows(source, older, FUNCTIONS))
        .isNotEqualTo(before)
        .isEqualTo(rows(source, fresh, FUNCTIONS));
    assertThat(shape(source, older, "sluice_ddl")).isEqualTo(shape(source, fresh, "sluice_ddl"));
    assertThat(rows(source, older, "SELECT * FROM sluice_ddl.task")).isEqualTo(registered);
    assertThat(rows(source, older, "SELECT * FROM sluice_ddl.followed ORDER BY 2"))
        .isEqualTo(followed);
    execute(source, older, "ALTER TABLE shop.item ADD COLUMN later int");
    assertThat(
            text(
                source,
                older,
                "SELECT definition::text FROM sluice_ddl.known WHERE relation ="
                    + " 'shop.item'::regclass ORDER BY entry DESC LIMIT 1"))
        .contains("later");
  }

  @Test
  void eachRecordOfItsJournalIsRead() throws Exception {
    unpack();
    JournalTopics topics = JournalTopics.ofTask(TASK);
    List<String> tables = new ArrayList<>();
    try (JournalBroker broker = JournalBroker.open(Optional.empty(), folder.resolve("data"));
        SchemaTopic schemas =
            new SchemaTopic(broker.client(), topics.schemas(), Duration.ofMinutes(1))) {
      for (ConsumerRecord<byte[], byte[]> record : records(broker.client(), topics.journal())) {
        if (JournalRecord.parse(record.value()) instanceof JournalRecord.Frame frame) {
          ChangeCursor changes = frame.changes(schemas);
          while (changes.next()) {
            if (changes.rowSchema() != null) {
              tables.add(changes.rowSchema().table().name());
            }
          }
        }
      }
    }
    assertThat(tables).contains("shelf", "made", "noted");
  }

  private TaskConfig config(String database) throws IOException {
    return TaskFolder.of(
            folder.resolve(database), TASK, SERVERS.source(), SERVERS.target(), database, "shop")
        .config();
  }

  private static List<String> shape(EmbeddedPostgres server, String database) throws SQLException {
    return shape(server, database, "sluice_control");
  }

  private static List<String> shape(EmbeddedPostgres server, String database, String schema)
      throws SQLException {
    return rows(server, database, SHAPE.formatted(schema));
  }

  private static List<ConsumerRecord<byte[], byte[]>> records(
      Map<String, Object> client, String topic) {
    TopicPartition partition = new TopicPartition(topic, 0);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(new HashMap<>(client), bytes, bytes)) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  private void unpack() throws IOException {
    try (ZipInputStream zip = new ZipInputStream(open("data.zip"))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = folder.resolve(entry.getName());
        if (entry.isDirectory()) {
          PrivateDirectory.make(file);
        } else {
          Files.copy(zip, file);
        }
      }
    }
  }

  private static String resource(String name) throws IOException {
    try (InputStream stream = open(name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static InputStream open(String name) {
    return OlderStateTest.class.getResourceAsStream("older-state/" + name);
  }
}
