package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceContractTest;
import dev.sluice.connector.api.source.SourceUnderTest;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.journal.JournalReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** PostgreSQL as a source does what every source must do. */
class PostgresSourceContractTest extends SourceContractTest {

  /** Of this database, and slots of the whole server for it. */
  private static final String LEFTOVERS =
      """
      SELECT 'slot ' || slot_name FROM pg_replication_slots WHERE database = current_database()
      UNION ALL SELECT 'publication ' || pubname FROM pg_publication
      UNION ALL SELECT 'event trigger ' || evtname FROM pg_event_trigger
      UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname !~ '^pg_'
      UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT 'identity ' || relname || ' ' || relreplident::text
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      ORDER BY 1
      """;

  @Override
  protected SourceUnderTest database(String... statements) {
    return new Database(new SourceFixture(statements), new AtomicLong());
  }

  private record Database(SourceFixture fixture, AtomicLong term) implements SourceUnderTest {
    @Override
    public Source source() {
      return fixture.source;
    }

    @Override
    public Source ofAnotherTask() {
      return new PostgresSource("another", fixture.config(), () -> TaskMark.ofName("another"));
    }

    @Override
    public void execute(String... statements) {
      fixture.execute(statements);
    }

    @Override
    public Runnable leaveOpen(String statement) {
      Connection connection = fixture.connect();
      try (Statement begun = connection.createStatement()) {
        connection.setAutoCommit(false);
        begun.execute(statement);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
      return () -> {
        try {
          connection.rollback();
          connection.close();
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      };
    }

    @Override
    public TableId table(String name) {
      return SourceFixture.table(name);
    }

    @Override
    public Captured capture(CaptureScope scope) {
      Capture capture =
          fixture.source.startCapture(
              new CaptureRequest(
                  term.incrementAndGet(),
                  fixture.source.retention().state().orElseThrow().confirmed(),
                  SourceFixture.client(),
                  fixture.topics,
                  DataSize.ofMebibytes(64),
                  Duration.ofMinutes(10)),
              scope);
      return new Journaled(capture, fixture.reader());
    }

    @Override
    public List<String> leftovers() {
      List<String> found = new ArrayList<>();
      try (Statement statement = fixture.connection.createStatement();
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
      fixture.close();
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
