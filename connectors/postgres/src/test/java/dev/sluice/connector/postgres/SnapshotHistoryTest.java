package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Histories of random transactions, with a snapshot now and then: by the ids in the journal it is
 * known which of the transactions each snapshot showed. The server itself is the model: what a
 * snapshot shows is what it reads.
 */
class SnapshotHistoryTest {
  private static final int STEPS = 600;

  /** A snapshot has no room for more than 64 of a session. */
  private static final int SUBTRANSACTIONS = 500;

  /** No standby of this name exists: a commit that waits for standbys waits until it is freed. */
  private static EmbeddedPostgres server() {
    return EmbeddedPostgres.builder()
        .setting("max_prepared_transactions", "5")
        .setting("synchronous_standby_names", "nobody")
        .setting("synchronous_commit", "local")
        .start();
  }

  @Test
  void theIdsInTheJournalTellWhichTransactionsASnapshotShows() throws Exception {
    try (EmbeddedPostgres server = server();
        SourceFixture fixture =
            new SourceFixture(
                    server,
                    "postgres",
                    List.of("CREATE TABLE t (id int PRIMARY KEY, transaction int NOT NULL)"))
                .capturing();
        JournalReader reader = fixture.reader();
        History history = new History(fixture, new Random(7))) {
      for (int i = 0; i < STEPS; i++) {
        history.step();
      }
      history.end();

      List<Transaction> journal = reader.read(history.committed);
      assertThat(journal).hasSize(history.committed);
      int shownLater = 0;
      for (Snapshot snapshot : history.snapshots) {
        for (Transaction transaction : journal) {
          boolean shown = snapshot.numbers().contains(number(transaction));
          assertThat(snapshot.visible().shows(transaction.id()))
              .as("transaction %s in the snapshot %s", transaction, snapshot.visible())
              .isEqualTo(shown);
          shownLater += !shown && !transaction.position().isAfter(snapshot.end()) ? 1 : 0;
        }
      }
      // Otherwise the positions would have told as well, and nothing was tried.
      assertThat(shownLater).isGreaterThan(20);
      assertThat(history.besideLarge).isGreaterThan(10);
    }
  }

  @Test
  void anIdThatIsTakenIsAboveThatOfEachTransactionInTheLogAndThatOfASnapshotIsNot()
      throws Exception {
    try (EmbeddedPostgres server = server();
        SourceFixture fixture =
            new SourceFixture(
                server,
                "postgres",
                List.of("CREATE TABLE t (id int PRIMARY KEY, transaction int NOT NULL)"));
        Session waiting = new Session(fixture.connect());
        History history = new History(fixture, new Random(1))) {
      int missedBySnapshot = 0;
      // The server's own transactions may end in between.
      for (int i = 0; i < 10; i++) {
        waiting.execute("BEGIN");
        waiting.execute("INSERT INTO t VALUES (%d, 1)".formatted(i));
        long id;
        try (ResultSet row = waiting.statement.executeQuery("SELECT txid_current()")) {
          row.next();
          id = row.getLong(1);
        }
        history.commitAndWait(waiting, "COMMIT");
        missedBySnapshot += history.snapshot().visible().next() <= id ? 1 : 0;
        assertThat(fixture.source.log().takeTransactionId().orElseThrow()).isGreaterThan(id);
        history.free(waiting);
      }
      assertThat(missedBySnapshot).isPositive();
    }
  }

  private static int number(Transaction transaction) {
    return Integer.parseInt(((RowChange) transaction.changes().get(0)).row().text(1));
  }

  /**
   * A snapshot of the source.
   *
   * @param end of the log, read after it
   * @param numbers of the transactions whose rows it shows
   */
  private record Snapshot(VisibleTransactions visible, Position end, Set<Integer> numbers) {}

  /** A session on the source. */
  private static final class Session implements AutoCloseable {
    final Connection connection;
    final Statement statement;
    final int pid;

    /** The number of the open transaction; 0 if there is none. */
    int number;

    /** Whether the open transaction has more subtransactions than a snapshot can name. */
    boolean isLarge;

    /** A commit that waits for a standby; null if there is none. */
    CompletableFuture<Void> commit;

    Session(Connection connection) throws SQLException {
      this.connection = connection;
      this.statement = connection.createStatement();
      try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
        row.next();
        this.pid = row.getInt(1);
      }
    }

    void execute(String sql) {
      try {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(sql, e);
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  /** Takes random steps. */
  private static final class History implements AutoCloseable {
    private final Random random;
    private final List<Session> sessions = new ArrayList<>();
    private final Session observer;
    private final Deque<Integer> prepared = new ArrayDeque<>();
    private int numbers;
    private int rows;

    final List<Snapshot> snapshots = new ArrayList<>();
    int committed;

    /** Snapshots that were taken while a large transaction was open. */
    int besideLarge;

    History(SourceFixture fixture, Random random) throws SQLException {
      this.random = random;
      for (int i = 0; i < 8; i++) {
        sessions.add(new Session(fixture.connect()));
      }
      observer = new Session(fixture.connect());
    }

    void step() throws SQLException {
      Session session = sessions.get(random.nextInt(sessions.size()));
      if (random.nextInt(10) == 0) {
        snapshots.add(snapshot());
      } else if (session.commit != null) {
        if (random.nextInt(4) == 0) {
          free(session);
        }
      } else if (session.number == 0) {
        begin(session);
      } else {
        continueOrEnd(session);
      }
    }

    void end() throws SQLException {
      for (Session session : sessions) {
        if (session.commit != null) {
          free(session);
        } else if (session.number != 0) {
          commit(session);
        }
      }
      while (!prepared.isEmpty()) {
        observer.execute("COMMIT PREPARED 'p" + prepared.remove() + "'");
        committed++;
      }
      snapshots.add(snapshot());
    }

    private void begin(Session session) {
      if (random.nextInt(4) == 0 && !prepared.isEmpty()) {
        endPrepared(session);
        return;
      }
      if (random.nextInt(4) == 0) {
        // An id that no change has.
        session.execute("SELECT txid_current()");
        return;
      }
      session.number = ++numbers;
      session.execute("BEGIN");
      insert(session);
    }

    private void continueOrEnd(Session session) {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> insert(session);
        case 3, 4 -> {
          if (random.nextInt(4) == 0) {
            insertInSubtransactions(session);
          } else {
            session.execute("SAVEPOINT s");
            insert(session);
            session.execute(random.nextBoolean() ? "RELEASE s" : "ROLLBACK TO s");
          }
        }
        case 5 -> {
          session.execute("ROLLBACK");
          session.number = 0;
          session.isLarge = false;
        }
        case 6, 7 -> {
          if (prepared.size() < 5) {
            session.execute("PREPARE TRANSACTION 'p" + session.number + "'");
            prepared.add(session.number);
            session.number = 0;
            session.isLarge = false;
          }
        }
        case 8, 9 -> commit(session);
        default -> commitAndWait(session, "COMMIT");
      }
    }

    private void insert(Session session) {
      session.execute("INSERT INTO t VALUES (%d, %d)".formatted(++rows, session.number));
    }

    private void insertInSubtransactions(Session session) {
      session.execute(
          ("DO $$ BEGIN FOR i IN %d..%d LOOP BEGIN INSERT INTO t VALUES (i, %d);"
                  + " EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$")
              .formatted(rows + 1, rows + SUBTRANSACTIONS, session.number));
      rows += SUBTRANSACTIONS;
      session.isLarge = true;
    }

    private void commit(Session session) {
      session.execute("COMMIT");
      session.number = 0;
      session.isLarge = false;
      committed++;
    }

    private void endPrepared(Session session) {
      int number = random.nextBoolean() ? prepared.removeFirst() : prepared.removeLast();
      switch (random.nextInt(3)) {
        case 0 -> session.execute("ROLLBACK PREPARED 'p" + number + "'");
        case 1 -> {
          session.execute("COMMIT PREPARED 'p" + number + "'");
          committed++;
        }
        default -> commitAndWait(session, "COMMIT PREPARED 'p" + number + "'");
      }
    }

    /** The log has the commit, and no snapshot shows it until the session is freed. */
    private void commitAndWait(Session session, String commit) {
      session.execute("SET synchronous_commit = on");
      session.commit = CompletableFuture.runAsync(() -> session.execute(commit));
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  read("SELECT wait_event FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                              + " AND pid = "
                              + session.pid)
                          .size()
                      == 1);
      committed++;
    }

    private void free(Session session) {
      observer.execute("SELECT pg_cancel_backend(" + session.pid + ")");
      session.commit.join();
      session.commit = null;
      session.number = 0;
      session.isLarge = false;
      session.execute("SET synchronous_commit = local");
    }

    private Snapshot snapshot() throws SQLException {
      observer.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      VisibleTransactions visible =
          VisibleTransactions.parse(read("SELECT pg_current_snapshot()").get(0));
      Position end = Position.parse(read("SELECT pg_current_wal_insert_lsn()").get(0));
      Set<Integer> shown = new HashSet<>();
      read("SELECT DISTINCT transaction FROM t").forEach(text -> shown.add(Integer.valueOf(text)));
      observer.execute("COMMIT");
      besideLarge += sessions.stream().anyMatch(session -> session.isLarge) ? 1 : 0;
      return new Snapshot(visible, end, shown);
    }

    private List<String> read(String sql) throws SQLException {
      try (ResultSet set = observer.statement.executeQuery(sql)) {
        List<String> read = new ArrayList<>();
        while (set.next()) {
          read.add(set.getString(1));
        }
        return read;
      }
    }

    @Override
    public void close() throws SQLException {
      for (Session session : sessions) {
        session.close();
      }
      observer.close();
    }
  }
}
