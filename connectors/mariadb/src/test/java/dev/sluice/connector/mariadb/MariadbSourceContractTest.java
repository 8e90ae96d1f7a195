package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceContractTest;
import dev.sluice.connector.api.source.SourceUnderTest;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/** MariaDB as a source does what every source must do. */
class MariadbSourceContractTest extends SourceContractTest {

  /** Of the whole server, without the tables of tests. */
  private static final String LEFTOVERS =
      """
      SELECT concat('schema ', SCHEMA_NAME) FROM information_schema.SCHEMATA
        WHERE SCHEMA_NAME NOT REGEXP '^t[0-9]+$'
      UNION ALL SELECT concat('table ', TABLE_NAME) FROM information_schema.TABLES
        WHERE TABLE_SCHEMA = database() AND TABLE_NAME NOT IN ('item', 'keyless')
      UNION ALL SELECT concat('trigger ', TRIGGER_NAME) FROM information_schema.TRIGGERS
      ORDER BY 1
      """;

  /** How long InnoDB shows an old list of transactions. */
  private static final Duration LISTED_TRANSACTIONS = Duration.ofMillis(300);

  private static EmbeddedBroker broker;

  @Override
  protected boolean createsObjects() {
    return false;
  }

  @Override
  protected boolean waitsForTransactions() {
    return false;
  }

  @Override
  protected boolean countsWithoutCapture() {
    return false;
  }

  @Override
  protected SourceUnderTest database(String... statements) {
    SourceDatabase database = new SourceDatabase("ALTER DATABASE COLLATE utf8mb4_bin");
    database.execute(statements);
    JournalTopics topics = JournalTopics.ofTask(database.name);
    Journal journal = new Journal(client(), topics);
    Awaitility.await()
        .atMost(Duration.ofMinutes(5))
        .pollDelay(Duration.ZERO)
        .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
        .untilAsserted(journal::create);
    return new Database(database, database.source(), topics, journal, new AtomicLong());
  }

  private static synchronized EmbeddedBroker broker() {
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
    return broker;
  }

  private static Map<String, Object> client() {
    return Map.of("bootstrap.servers", broker().bootstrapServers());
  }

  private record Database(
      SourceDatabase database,
      Source source,
      JournalTopics topics,
      Journal journal,
      AtomicLong term)
      implements SourceUnderTest {
    @Override
    public Source ofAnotherTask() {
      return new MariadbSource("another", database.config());
    }

    @Override
    public void execute(String... statements) {
      database.execute(statements);
    }

    @Override
    public Runnable leaveOpen(String statement) {
      try {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        try (Statement begun = connection.createStatement()) {
          begun.execute(statement);
        }
        pause();
        return () -> {
          try {
            connection.rollback();
            connection.close();
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
          pause();
        };
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private static void pause() {
      try {
        Thread.sleep(LISTED_TRANSACTIONS.toMillis());
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public TableId table(String name) {
      return database.table(name);
    }

    @Override
    public Captured capture(CaptureScope scope) {
      Capture capture =
          source.startCapture(
              new CaptureRequest(
                  term.incrementAndGet(),
                  source.retention().state().orElseThrow().confirmed(),
                  client(),
                  topics,
                  DataSize.ofMebibytes(64),
                  Duration.ofMinutes(10)),
              scope);
      return new Journaled(capture, new JournalReader(client(), topics));
    }

    @Override
    public List<String> leftovers() {
      List<String> found = new ArrayList<>();
      try (Statement statement = database.connection.createStatement();
          ResultSet rows = statement.executeQuery(LEFTOVERS)) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
        return found;
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      journal.close();
      database.close();
    }
  }

  private record Journaled(Capture capture, JournalReader reader)
      implements SourceUnderTest.Captured {
    @Override
    public List<SourceUnderTest.Transaction> next(int count) {
      return reader.read(count).stream()
          .map(read -> new SourceUnderTest.Transaction(read.position(), read.changes()))
          .toList();
    }

    @Override
    public void close() {
      reader.close();
      capture.close();
    }
  }
}
