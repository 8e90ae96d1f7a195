package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CaptureRestartTest {
  private static final DataSize LIMIT = DataSize.ofMebibytes(64);
  private static final Duration NEVER = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Test
  void restartsUnderLoadLoseNothingAndTheSlotConfirmsOnlyJournaledTransactions() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture("CREATE TABLE n (id int PRIMARY KEY, w int, t text)");
        JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      Position begin = fixture.source.retention().state().orElseThrow().confirmed();
      AtomicBoolean stop = new AtomicBoolean();
      AtomicInteger committed = new AtomicInteger();
      List<Thread> writers = new ArrayList<>();
      for (int writer = 0; writer < 3; writer++) {
        int number = writer;
        Thread thread = new Thread(() -> write(fixture, number, stop, committed));
        thread.start();
        writers.add(thread);
      }
      List<Transaction> read = new ArrayList<>();
      List<Position> stood = new ArrayList<>();
      for (int round = 0; round < 5; round++) {
        Capture capture = fixture.start();
        Position started = capture.progress().acknowledged();
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(20))
            .until(() -> capture.progress().acknowledged().isAfter(started));
        Thread.sleep(100L * round);
        capture.close();
        stood.add(fixture.source.retention().state().orElseThrow().confirmed());
        read.addAll(reader.poll(Duration.ofMillis(200)));
      }
      stop.set(true);
      for (Thread thread : writers) {
        thread.join();
      }
      try (Capture last = fixture.start()) {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (read.size() < committed.get() && Instant.now().isBefore(deadline)) {
          read.addAll(reader.poll(Duration.ofMillis(100)));
        }
        assertThat(last.failure()).isEmpty();
      }
      assertThat(read).hasSize(committed.get());
      assertThat(read).allMatch(transaction -> transaction.changes().size() == 2);
      assertThat(idsByWriter(read).values())
          .allSatisfy(ids -> assertThat(ids).isSorted().doesNotHaveDuplicates());
      assertThat(stood)
          .allSatisfy(
              position ->
                  assertThat(position.equals(begin) || reader.ends().containsKey(position))
                      .as("%s is the end of a journaled transaction", position)
                      .isTrue());
    }
  }

  @Test
  void aBrokenConnectionEndsTheCaptureAndTheNextTermResumes() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY)");
        JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      try (Capture capture = fixture.start()) {
        fixture.execute("INSERT INTO n VALUES (1)");
        assertThat(reader.read(1)).hasSize(1);
        fixture.execute(
            "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = 'sluice_"
                + fixture.task
                + "'");
        await().atMost(PATIENCE).until(() -> capture.failure().isPresent());
        assertThat(capture.failure().orElseThrow()).isInstanceOf(SluiceException.Retryable.class);
        fixture.execute("INSERT INTO n VALUES (2)");
      }
      try (Capture next = fixture.start()) {
        assertThat(reader.read(1)).hasSize(1);
        assertThat(next.failure()).isEmpty();
      }
    }
  }

  /** Log that is not captured is never confirmed, and a server waits for that. */
  @Test
  void aSourceThatShutsDownDoesNotWaitForTheCapture() throws Exception {
    EmbeddedPostgres server = EmbeddedPostgres.start();
    SourceFixture fixture =
        new SourceFixture(server, "postgres", List.of("CREATE TABLE n (id int PRIMARY KEY)"));
    try (JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      Capture capture = fixture.start();
      fixture.execute("INSERT INTO n VALUES (1)");
      Position first = reader.read(1).get(0).position();
      await().atMost(PATIENCE).until(() -> capture.progress().acknowledged().equals(first));
      fixture.execute(
          "CREATE TABLE unpublished AS SELECT i FROM generate_series(1, 1000) i",
          "SELECT pg_switch_wal()");
      Path running = server.directory().resolve("postmaster.pid");
      new ProcessBuilder("sh", "-c", "kill -INT " + server.pid()).start().waitFor();
      await().atMost(PATIENCE).until(() -> capture.failure().isPresent());
      assertThat(capture.failure().orElseThrow()).isInstanceOf(SluiceException.Retryable.class);
      capture.close();
      await().atMost(PATIENCE).until(() -> !Files.exists(running));
    } finally {
      fixture.journal.close();
      server.close();
    }
  }

  @Test
  void aRefusedSendEndsTheCaptureAndNothingAfterItIsJournaledInItsTerm() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture("CREATE TABLE n (id int, t text, PRIMARY KEY (id))");
        JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      Map<String, Object> small = new HashMap<>(SourceFixture.client());
      small.put("max.request.size", 100_000);
      Position stands;
      try (Capture capture = fixture.start(LIMIT, NEVER, small)) {
        fixture.execute("INSERT INTO n VALUES (1, 'x')");
        Position first = reader.read(1).get(0).position();
        // A record can be read before its acknowledgement has come.
        await().atMost(PATIENCE).until(() -> capture.progress().acknowledged().equals(first));
        stands = first;
        fixture.execute(
            "BEGIN; INSERT INTO n SELECT 2, string_agg(md5(i::text), '') FROM generate_series(1, 10000) i; COMMIT;"
                + "BEGIN; INSERT INTO n VALUES (3, 'y'); COMMIT");
        await().atMost(PATIENCE).until(() -> capture.failure().isPresent());
        assertThat(capture.failure().orElseThrow()).isInstanceOf(SluiceException.Fatal.class);
      }
      assertThat(fixture.journal.endOffset())
          .as("the term's start and one transaction")
          .isEqualTo(2);
      // What the slot was told last counts once the server has ended its side too.
      await()
          .atMost(PATIENCE)
          .until(() -> fixture.source.retention().state().orElseThrow().activePid().isEmpty());
      assertThat(fixture.source.retention().state().orElseThrow().confirmed()).isEqualTo(stands);
      try (Capture next = fixture.start()) {
        assertThat(reader.read(2)).hasSize(2);
        assertThat(next.failure()).isEmpty();
      }
    }
  }

  @Test
  void aLargeChangeIsSplitAndOneAboveTheLimitStopsTheTaskAndNamesTheTable() {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY, t text)");
        JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      try (Capture capture = fixture.start(DataSize.ofMebibytes(3), NEVER)) {
        fixture.execute("INSERT INTO n VALUES (1, repeat('ü', 1000000))");
        RowChange change = (RowChange) reader.read(1).get(0).changes().get(0);
        assertThat(change.row().text(1)).isEqualTo("ü".repeat(1_000_000));
        fixture.execute("INSERT INTO n VALUES (77, repeat('ü', 2000000))");
        await().atMost(PATIENCE).until(() -> capture.failure().isPresent());
        assertThat(capture.failure().orElseThrow())
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("table public.n, the row ('77')")
            .hasMessageContaining("MaxValueSize = 3.0 MiB");
      }
    }
  }

  @Test
  void theSlotOfAnIdleSourceAdvancesByItsOwnTasksMessages() {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE n (id int PRIMARY KEY)");
        JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      Position begin = fixture.source.retention().state().orElseThrow().confirmed();
      fixture.execute(
          "CREATE TABLE unpublished AS SELECT i FROM generate_series(1, 1000) i",
          "SELECT pg_logical_emit_message(false, 'sluice.other.progress', 'no number')");
      Position written = fixture.source.log().current();
      try (Capture capture = fixture.start(LIMIT, Duration.ofMillis(300))) {
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    fixture.source.retention().state().orElseThrow().confirmed().isAfter(written));
        assertThat(capture.progress().lastCommit()).isPresent();
      }
      Position confirmed = fixture.source.retention().state().orElseThrow().confirmed();
      assertThat(confirmed.isAfter(begin)).isTrue();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                reader.poll(Duration.ofMillis(100));
                return reader.ends().containsKey(confirmed);
              });
    }
  }

  private static void write(
      SourceFixture fixture, int writer, AtomicBoolean stop, AtomicInteger committed) {
    try (Connection connection = fixture.connect();
        Statement statement = connection.createStatement()) {
      for (int i = writer; !stop.get(); i += 3) {
        statement.execute(
            "BEGIN; INSERT INTO n VALUES (%d, %d, 'x'); UPDATE n SET t = 'y' WHERE id = %d; COMMIT"
                .formatted(i, writer, i));
        committed.incrementAndGet();
        Thread.sleep(2);
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, List<Integer>> idsByWriter(List<Transaction> read) {
    Map<String, List<Integer>> ids = new HashMap<>();
    for (Transaction transaction : read) {
      RowChange change = (RowChange) transaction.changes().get(0);
      ids.computeIfAbsent(change.row().text(1), any -> new ArrayList<>())
          .add(Integer.valueOf(change.row().text(0)));
    }
    return ids;
  }
}
