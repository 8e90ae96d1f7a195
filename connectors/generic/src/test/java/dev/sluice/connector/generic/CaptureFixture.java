package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** A database of its own that a connector captures into a journal of its own. */
final class CaptureFixture implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(5);

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static EmbeddedBroker broker;

  final CapturedDatabase database;
  private final String task = "generic" + NUMBER.incrementAndGet();
  private final JournalTopics topics = JournalTopics.ofTask(task);
  private final List<CatalogTable> tables = new ArrayList<>();
  private final Journal journal = journal(topics);
  private GenericCapture capture;
  private long term;
  private long readTo;
  private Position end = Position.ZERO;

  CaptureFixture(CapturedDatabase database) {
    this.database = database;
    create(topics);
  }

  private static void create(JournalTopics topics) {
    try (Journal journal = journal(topics)) {
      Awaitility.await()
          .atMost(TIMEOUT)
          .pollDelay(Duration.ZERO)
          .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
          .untilAsserted(journal::create);
    }
  }

  /** A captured table; its columns are {@code name type}, and the first one is its key. */
  CaptureFixture table(String name, String... columns) {
    execute(
        "CREATE TABLE %s (%s, PRIMARY KEY (%s))"
            .formatted(name, String.join(", ", columns), columns[0].split(" ")[0]));
    tables.add(describe(database.schema(), name, columns));
    return this;
  }

  static CatalogTable describe(String schema, String name, String... columns) {
    TableId table = new TableId(schema, name);
    return new CatalogTable(
        table,
        table,
        CatalogTable.Kind.ORDINARY,
        CatalogTable.Persistence.LOGGED,
        CatalogTable.OldRow.PRIMARY_KEY,
        Arrays.stream(columns).map(each -> column(each, each.equals(columns[0]))).toList(),
        null,
        0,
        true,
        true,
        false);
  }

  private static CatalogColumn column(String declared, boolean key) {
    String[] parts = declared.split(" ", 2);
    return new CatalogColumn(parts[0], parts[1], !key, key, false, false);
  }

  TableId id(String table) {
    return new TableId(database.schema(), table);
  }

  CaptureFixture execute(String... statements) {
    return run(true, statements);
  }

  /** Statements in one transaction. */
  CaptureFixture transaction(String... statements) {
    return run(false, statements);
  }

  private CaptureFixture run(boolean autoCommit, String... statements) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(autoCommit);
      for (String text : statements) {
        statement.execute(text);
      }
      if (!autoCommit) {
        connection.commit();
      }
      return this;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Continues after what the journal has, as a daemon does; at first with the rows there are. */
  GenericCapture capture() {
    return captureAfter(end());
  }

  GenericCapture captureAfter(Position start) {
    beforeSnapshot(start);
    capture = run(start).start(database.folder(), tables, topics);
    return capture;
  }

  /** Continues after a transaction of the journal, into another one. */
  JournalReader captureAside(Transaction after) {
    JournalTopics aside = JournalTopics.ofTask(task + "-" + term);
    create(aside);
    capture =
        run(after.position())
            .startAside(
                database.folder(), tables, aside, Optional.of(Bookmark.parse(after.bookmark())));
    return new JournalReader(client(), aside);
  }

  /** As {@link #capture}, of the table {@code a} alone, in a process that can be killed. */
  Process captureInProcess() {
    Position start = end();
    beforeSnapshot(start);
    return CaptureProcess.start(run(start), database.path());
  }

  private CaptureRun run(Position start) {
    return new CaptureRun(
        database.connector(),
        database.properties(),
        task,
        database.schema(),
        String.valueOf(client().get("bootstrap.servers")),
        ++term,
        start);
  }

  private void beforeSnapshot(Position start) {
    if (start.equals(Position.ZERO)) {
      try {
        database.beforeSnapshot();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Waits until the capture has failed. */
  SluiceException failure() {
    await(() -> capture.failure().isPresent());
    return capture.failure().orElseThrow();
  }

  /** Waits; fails at once if the capture has failed. */
  void awaitCaptured(Callable<Boolean> condition) {
    await(
        () -> {
          if (capture.failure().isPresent()) {
            throw new AssertionError(capture.failure().get());
          }
          return condition.call();
        });
  }

  static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(TIMEOUT).until(condition);
  }

  /** So many transactions; fails at once if the capture has failed. */
  List<Transaction> read(JournalReader reader, int count) {
    List<Transaction> read = new ArrayList<>();
    awaitCaptured(
        () -> {
          read.addAll(reader.poll(Duration.ofMillis(50)));
          return read.size() >= count;
        });
    return read;
  }

  /** The position that the journal ends with; zero if it has none. Read only if it has grown. */
  Position end() {
    long now = journal.endOffset();
    if (now != readTo) {
      end = journal.tailBefore(now, 0, 0, 0).lastWhole().orElse(Position.ZERO);
      readTo = now;
    }
    return end;
  }

  JournalReader reader() {
    return new JournalReader(client(), topics);
  }

  private static Journal journal(JournalTopics topics) {
    return new Journal(client(), topics);
  }

  static synchronized Map<String, Object> client() {
    if (broker == null) {
      try {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Files.createDirectories(temporary);
        broker = EmbeddedBroker.start(Files.createTempDirectory(temporary, "broker-"));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(() -> broker.close()));
    }
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  /** {@code +row}, {@code -key}, {@code key:row}, {@code truncate table}. */
  static List<String> changes(Transaction transaction) {
    return transaction.changes().stream().map(CaptureFixture::text).toList();
  }

  private static String text(ChangeEvent event) {
    if (event instanceof ChangeEvent.Truncate truncate) {
      return "truncate " + truncate.tables().get(0).table().name();
    }
    RowChange change = (RowChange) event;
    if (change.match() == null) {
      return "+" + text(change.row());
    }
    return change.row() == null
        ? "-" + text(change.match())
        : text(change.match()) + ":" + text(change.row());
  }

  /** The new rows of a transaction. */
  static List<Row> rows(Transaction transaction) {
    return transaction.changes().stream()
        .map(change -> ((RowChange) change).row())
        .filter(Objects::nonNull)
        .toList();
  }

  static String text(Row row) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < row.columns(); i++) {
      values.add(row.isUnchanged(i) ? "unchanged" : row.text(i));
    }
    return String.join(",", values);
  }

  void stop() {
    capture.close();
  }

  @Override
  public void close() {
    if (capture != null) {
      capture.close();
    }
    journal.close();
  }
}
