package dev.sluice.connector.postgres.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.journal.SourceEvent.Committed;
import dev.sluice.connector.postgres.SourceFixture;
import dev.sluice.connector.postgres.server.LogStream;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LogReaderTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  @Test
  void aFullQueueKeepsTheSessionAliveAndConfirmsWhatIsAcknowledgedMeanwhile() throws Exception {
    EventQueue queue = new EventQueue(1);
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY, t text)")) {
      fixture.prepare().close();
      LogReader reader = reader(fixture, queue);
      try {
        fixture.execute("INSERT INTO n VALUES (1, 'first')");
        Position first = nextCommit(queue);
        // One batch lies in the queue, and the reader waits with the next one.
        fixture.execute("INSERT INTO n SELECT i, repeat('x', 1000) FROM generate_series(2, 500) i");
        Set<String> replies = new HashSet<>();
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  replies.add(walsender(fixture, "reply_time"));
                  return replies.size() > 5;
                });
        assertThat(confirmed(fixture)).as("before it is told").isLessThan(first);
        reader.confirm(first);
        await().atMost(PATIENCE).until(() -> confirmed(fixture).equals(first));
        assertThat(failure.get()).isNull();
      } finally {
        queue.close();
        reader.close();
        awaitReleased(fixture);
      }
    }
  }

  @Test
  void whatWasAcknowledgedLastIsConfirmedAtTheEnd() throws Exception {
    EventQueue queue = new EventQueue(1_000_000);
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY, t text)")) {
      fixture.prepare().close();
      LogReader reader = reader(fixture, queue);
      fixture.execute("INSERT INTO n VALUES (1, 'first')");
      Position first = nextCommit(queue);
      reader.confirm(first);
      reader.close();
      await().atMost(PATIENCE).until(() -> confirmed(fixture).equals(first));
      awaitReleased(fixture);
      assertThat(failure.get()).isNull();
    }
  }

  @Test
  void aSlotThatIsGoneIsAFailureAndIsNotMadeAgain() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY, t text)")) {
      fixture.prepare().close();
      fixture.source.retention().drop();
      LogReader reader = reader(fixture, new EventQueue(1));
      await().atMost(PATIENCE).until(() -> failure.get() != null);
      reader.close();
      assertThat(failure.get())
          .isInstanceOfSatisfying(
              SQLException.class, error -> assertThat(error.getSQLState()).isEqualTo("42704"));
      assertThat(fixture.source.retention().state()).isEmpty();
    }
  }

  /** By its name a task knows its own reader; and describing a table may take a while. */
  @Test
  void theReaderHasTheTasksNameAndTimeWhateverTheUrlSays() throws Exception {
    Endpoint url =
        new Endpoint(
            "127.0.0.1",
            SourceFixture.server().port(),
            "postgres",
            "postgres",
            Secret.of("secret"),
            Map.of("ApplicationName", "theirs"));
    try (Connection session = SourceServer.of(url, "sluice t").openForReplication("reader");
        Statement statement = session.createStatement()) {
      assertThat(shown(statement, "application_name")).isEqualTo("reader");
      assertThat(shown(statement, "wal_sender_timeout")).isEqualTo("3min");
    }
  }

  private static String shown(Statement statement, String setting) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SHOW " + setting)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** The server sends its position behind changes that nobody publishes. */
  @Test
  void onlyWhatIsConfirmedMovesTheSlot() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY, t text)")) {
      fixture.prepare().close();
      fixture.execute("CREATE TABLE unpublished (id int)", "INSERT INTO n VALUES (1, 'first')");
      try (LogStream stream = open(fixture)) {
        Position first = commit(stream);
        stream.confirm(first);
        await().atMost(PATIENCE).until(() -> confirmed(fixture).equals(first));
        fixture.execute("INSERT INTO unpublished VALUES (1)", "SELECT pg_switch_wal()");
        Position behind = new Position(first.low() + 1);
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  stream.readPending();
                  return Position.parse(walsender(fixture, "sent_lsn")).isAfter(behind);
                });
        fixture.execute("INSERT INTO n VALUES (2, 'second')");
        commit(stream);
        String reply = walsender(fixture, "reply_time");
        stream.keepAlive();
        await().atMost(PATIENCE).until(() -> !walsender(fixture, "reply_time").equals(reply));
        assertThat(confirmed(fixture)).isEqualTo(first);
      }
      awaitReleased(fixture);
    }
  }

  /**
   * The server's process for a closed connection ends by itself, and may take its time. Until then
   * nobody drops the slot.
   */
  private static void awaitReleased(SourceFixture fixture) {
    String read =
        "SELECT FROM pg_replication_slots WHERE active AND slot_name = '%s'"
            .formatted(fixture.config().slotName());
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              try (Statement statement = fixture.connection.createStatement();
                  ResultSet rows = statement.executeQuery(read)) {
                return !rows.next();
              }
            });
  }

  private LogReader reader(SourceFixture fixture, EventQueue queue) {
    return new LogReader(
        fixture.task,
        () -> open(fixture),
        new LogDecoder(
            MessagePrefixes.ofTask(fixture.task),
            new OwnMessages(Clock.systemUTC()),
            new OneTable(),
            new TransactionIds(1000)),
        queue,
        failure::set);
  }

  private static LogStream open(SourceFixture fixture) throws SQLException {
    return LogStream.open(
        fixture.source.server(),
        fixture.config().slotName(),
        List.of(fixture.config().publicationName()),
        "reader");
  }

  private static Position nextCommit(EventQueue queue) throws InterruptedException {
    List<Committed> commits = new ArrayList<>();
    while (commits.isEmpty()) {
      queue
          .take(PATIENCE)
          .orElseThrow()
          .events()
          .forEach(
              event -> {
                if (event instanceof Committed committed) {
                  commits.add(committed);
                }
              });
    }
    return commits.get(0).position();
  }

  /** Reads up to the next commit: its end. */
  private static Position commit(LogStream stream) throws SQLException {
    while (true) {
      var message = stream.readPending();
      if (message != null && message.get() == 'C') {
        message.get();
        message.getLong();
        return new Position(message.getLong());
      }
    }
  }

  private static Position confirmed(SourceFixture fixture) {
    return fixture.source.retention().state().orElseThrow().confirmed();
  }

  private static String walsender(SourceFixture fixture, String column) throws SQLException {
    String query =
        "SELECT r.%s FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE slot_name = '%s'"
            .formatted(column, fixture.config().slotName());
    try (Statement statement = fixture.connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).as("somebody reads the slot").isTrue();
      return rows.getString(1);
    }
  }

  /** Knows the table n only. */
  private static final class OneTable implements SourceTables {
    private static final TableId NAME = SourceFixture.table("n");

    @Override
    public Optional<SourceTable> describe(TableId table, Position position) {
      List<Column> columns =
          List.of(new Column("id", "integer", false, true), new Column("t", "text", true, false));
      return Optional.of(new SourceTable(NAME, NAME, columns, false, null, true));
    }

    @Override
    public String typeName(int type, int modifier) {
      return type == 23 ? "integer" : "text";
    }

    @Override
    public Optional<Column> inCatalog(TableId table, String column) {
      return Optional.empty();
    }

    @Override
    public Set<TableId> leavesOf(TableId root, Position position) {
      return Set.of(root);
    }

    @Override
    public boolean isCaptured(TableId published) {
      return true;
    }

    @Override
    public boolean mayFollow(TableId unknown) {
      return false;
    }

    @Override
    public Optional<Definition> definition(int relation, String report) {
      return Optional.empty();
    }
  }
}
