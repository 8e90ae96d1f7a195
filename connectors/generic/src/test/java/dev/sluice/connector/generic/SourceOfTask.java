package dev.sluice.connector.generic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.CdcStop;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.StopReading;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.ConnectorEndpoint;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.SourceNotes;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;

/** A task's source as the engine has it, with a journal of its own. */
final class SourceOfTask {
  final TaskMark mark;
  final GenericSource source;
  private final JournalTopics topics;
  private final Position begin;
  private final boolean takesSlot;
  private long term;

  private SourceOfTask(
      TaskMark mark,
      GenericSource source,
      JournalTopics topics,
      Position begin,
      boolean takesSlot,
      long term) {
    this.mark = mark;
    this.source = source;
    this.topics = topics;
    this.begin = begin;
    this.takesSlot = takesSlot;
    this.term = term;
  }

  /**
   * @param begin at which its load begins
   */
  static SourceOfTask of(String task, CapturedDatabase database, Position begin) {
    return of(task, database, begin, false);
  }

  /** One for which a slot was made, where its database has slots. */
  static SourceOfTask takingSlot(String task, CapturedDatabase database) {
    return of(task, database, Position.ZERO, database.connector() == KnownConnector.POSTGRESQL);
  }

  /** The same task, as its file says it later, in another daemon. */
  SourceOfTask thatTakesTheSlot(CapturedDatabase database) {
    return new SourceOfTask(
        mark, source(database, database.properties(), mark, true), topics, begin, true, term);
  }

  private static SourceOfTask of(
      String task, CapturedDatabase database, Position begin, boolean takesSlot) {
    JournalTopics topics = JournalTopics.ofTask(task);
    try (Journal journal = new Journal(CaptureFixture.client(), topics)) {
      Awaitility.await()
          .atMost(CaptureFixture.TIMEOUT)
          .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
          .untilAsserted(journal::create);
    }
    TaskMark mark = TaskMark.ofName(task);
    return new SourceOfTask(
        mark,
        source(database, database.properties(), mark, takesSlot),
        topics,
        begin,
        takesSlot,
        0);
  }

  /** One whose task file has other properties; it captures nothing. */
  static SourceOfTask of(String task, CapturedDatabase database, Map<String, String> properties) {
    TaskMark mark = TaskMark.ofName(task);
    return new SourceOfTask(
        mark,
        source(database, properties, mark, false),
        JournalTopics.ofTask(task),
        Position.ZERO,
        false,
        0);
  }

  /** The same task in another daemon. */
  SourceOfTask again(CapturedDatabase database) {
    return new SourceOfTask(
        mark,
        source(database, database.properties(), mark, takesSlot),
        topics,
        begin,
        takesSlot,
        term);
  }

  /**
   * The same task, which begins at a place. As the engine does it before the target has the
   * position.
   */
  SourceOfTask beginningAt(String place) {
    LogRetention log = source.retention();
    log.take();
    Position at = log.named(place);
    log.keepStart(
        catalog().tables().stream().map(CatalogTable::table).toList(),
        CaptureFixture.client(),
        topics);
    return new SourceOfTask(mark, source, topics, at, takesSlot, term);
  }

  private SourceCatalog catalog() {
    return source.catalog(table -> !table.name().startsWith("other"));
  }

  private static GenericSource source(
      CapturedDatabase database, Map<String, String> given, TaskMark mark, boolean takesSlot) {
    return new GenericSource(mark.task(), config(database, given, takesSlot), () -> mark);
  }

  /** Sessions on the source as the task's file names it. */
  static JdbcServer server(CapturedDatabase database) {
    return new JdbcServer(config(database, database.properties(), false));
  }

  private static GenericConfig config(
      CapturedDatabase database, Map<String, String> given, boolean takesSlot) {
    Map<String, String> properties = new TreeMap<>(given);
    Endpoint endpoint =
        new Endpoint(
            GenericConfig.TYPE,
            properties.get("database.hostname"),
            Integer.parseInt(properties.get("database.port")),
            properties.getOrDefault("database.dbname", database.schema()),
            properties.get("database.user"),
            Secret.of(properties.get("database.password")),
            Map.of());
    properties.keySet().removeAll(ConnectorEndpoint.NAMES);
    return new GenericConfig(
        endpoint, database.path(), database.connector(), properties, Optional.empty(), takesSlot);
  }

  /**
   * Goes on after what the journal has; nothing of it is applied. Tries again as a daemon does: the
   * server may still have the session of the one before.
   */
  Capture capture() {
    return captureUntil(Optional.empty());
  }

  /** The same of a task that is to stop. */
  Capture captureUntil(CdcStop stop) {
    return captureUntil(Optional.of(stop));
  }

  private Capture captureUntil(Optional<CdcStop> stop) {
    return Awaitility.with()
        .pollInSameThread()
        .await()
        .atMost(CaptureFixture.TIMEOUT)
        .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
        .until(() -> begun(stop), Objects::nonNull);
  }

  private Capture begun(Optional<CdcStop> stop) {
    return source.startCapture(
        new CaptureRequest(
            ++term,
            begin,
            CaptureFixture.client(),
            topics,
            DataSize.ofMebibytes(64),
            Duration.ofSeconds(5),
            new AppliedJournal(begin, 0, 0, 0),
            stop,
            begin.low() == 0),
        CaptureScope.of(catalog()));
  }

  /** Waits until it is known where the task stops. */
  Position awaitStop(Capture capture) {
    AtomicReference<Position> stop = new AtomicReference<>();
    CaptureFixture.await(
        () -> {
          if (capture.failure().isPresent()) {
            throw new AssertionError(capture.failure().get());
          }
          if (source.log().stop() instanceof StopReading.At at) {
            stop.set(at.position());
          }
          return stop.get() != null;
        });
    return stop.get();
  }

  JournalReader reader() {
    return new JournalReader(CaptureFixture.client(), topics);
  }

  /** What is noted in the schema topic, by names. */
  Map<String, String> notes() {
    return new SourceNotes(CaptureFixture.client(), topics).read("");
  }

  /** Leaves the schema topic as a version did that kept no definitions. */
  void forgetDefinitions() {
    forgetDefinitions("");
  }

  /** The same of notes whose names end like that. */
  void forgetDefinitions(String end) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            CaptureFixture.client(), new ByteArraySerializer(), new ByteArraySerializer())) {
      notes().keySet().stream()
          .filter(name -> name.endsWith(end))
          .map(name -> (JournalTopics.NOTE_KEY + name).getBytes(UTF_8))
          .forEach(key -> producer.send(new ProducerRecord<>(topics.schemas(), 0, key, null)));
    }
  }

  /** Captures until what is written has come into the journal. */
  void journal(Runnable writes) {
    Capture capture = capture();
    try {
      writes.run();
      awaitBookmark(capture);
    } finally {
      capture.close();
    }
  }

  /** Waits until the journal has something with a bookmark. */
  void awaitBookmark(Capture capture) {
    CaptureFixture.await(
        () -> {
          if (capture.failure().isPresent()) {
            throw new AssertionError(capture.failure().get());
          }
          return capture.progress().acknowledged().isAfter(begin);
        });
  }
}
