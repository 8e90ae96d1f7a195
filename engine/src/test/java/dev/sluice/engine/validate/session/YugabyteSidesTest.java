package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.checkpoint;
import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowHash.Function;
import dev.sluice.connector.api.comparison.RowHash.RowForm;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.embedded.postgres.strict.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A target is compared in one transaction, through a proxy that is as strict as YugabyteDB. */
class YugabyteSidesTest {
  private static final long SEED = Long.getLong("sluice.seed", 20261128L);
  private static final int ROWS = 2000;
  private static final int SESSIONS = 6;
  private static final int MOST_SESSIONS = 500;
  private static final RowHash HASH =
      new RowHash(new HashSeeds(11, 12), Function.FAST, RowForm.UTF8);

  private final AtomicBoolean stopped = new AtomicBoolean();
  private YugabytePair pair;

  @BeforeEach
  void create() throws Exception {
    pair = new YugabytePair(SEED);
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "CREATE TABLE app.k (a text COLLATE \"C\", b int, v text, PRIMARY KEY (b, a))",
        "INSERT INTO app.t SELECT i, i FROM generate_series(1, " + ROWS + ") i",
        "INSERT INTO app.k SELECT 'k' || i, i % 5, i FROM generate_series(1, " + ROWS + ") i");
  }

  @AfterEach
  void nothingThatYugabytedbRefusesWasSent() throws Exception {
    stopped.set(true);
    assertThat(pair.proxy().refused()).isEmpty();
    pair.close();
  }

  @Test
  void noRowIsReportedAndEachPlantedOneFoundWhileTransactionsRunAndReadsFail() throws Exception {
    pair.onBoth("INSERT INTO app.t SELECT i, 'still' FROM generate_series(10001, 10030) i");
    pair.replicate();
    CompletableFuture<Void> writer = CompletableFuture.runAsync(this::write);
    pair.proxy().fail(10);
    for (int done = 0, begun = 0; done < SESSIONS; begun++) {
      assertThat(begun).isLessThan(MOST_SESSIONS);
      List<TableFindings> found = tryCompare();
      assertThat(found).allMatch(table -> table.differences().isEmpty());
      done += isComplete(found) ? 1 : 0;
    }
    assertThat(pair.proxy().faults()).isNotEmpty();
    pair.onTarget(
        "UPDATE app.t SET v = 'other' WHERE id BETWEEN 10001 AND 10010",
        "DELETE FROM app.t WHERE id BETWEEN 10011 AND 10020",
        "INSERT INTO app.t SELECT i FROM generate_series(10031, 10040) i");
    List<TableFindings> found = tryCompare();
    for (int begun = 0; !isComplete(found); begun++) {
      assertThat(begun).isLessThan(MOST_SESSIONS);
      found = tryCompare();
    }
    assertThat(found.get(0).differences())
        .hasSize(30)
        .allMatch(row -> Integer.parseInt(row.key().values().get(0)) > 10000);
    assertThat(found.get(1).differences()).isEmpty();
    stopped.set(true);
    writer.join();
  }

  /** Moves rows to other keys, several in each transaction. */
  private void write() {
    Random random = new Random(SEED);
    try (Connection connection = pair.connectSource();
        Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
      while (!stopped.get()) {
        int id = 1 + random.nextInt(ROWS);
        int other = ROWS + 1 + random.nextInt(ROWS);
        statement.execute(
            "BEGIN; DELETE FROM app.t WHERE id = %1$d; INSERT INTO app.t VALUES (%1$d, 'new'), (%2$d, 'more') ON CONFLICT (id) DO UPDATE SET v = app.t.v || 'x'; UPDATE app.k SET v = v || '.' WHERE b = %3$d AND a = 'k%1$d'; DELETE FROM app.t WHERE id = %2$d + 1 AND id > 2000 AND id < 10000; COMMIT"
                .formatted(id, other, id % 5));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A session over both tables; without findings if it failed in a way that passes. */
  private List<TableFindings> tryCompare() throws InterruptedException {
    try {
      return pair.session()
          .run(
              checkpoint(),
              List.of(
                  ComparisonPlan.whole(table("t"), List.of("id")),
                  ComparisonPlan.whole(table("k"), List.of("a", "b"))))
          .tables();
    } catch (SluiceException.Retryable e) {
      return List.of();
    }
  }

  private static boolean isComplete(List<TableFindings> found) {
    return found.size() == 2
        && found.stream()
            .allMatch(table -> table.end() == TableFindings.End.DONE && table.rest().isEmpty());
  }

  @Test
  void allReadsOfASnapshotShowItsMomentAndItsCheckpoint() throws Exception {
    try (TargetView view = open()) {
      pair.onTarget("UPDATE control.checkpoint SET position = '0/AB'");
      assertThat(view.takeSnapshot(checkpoint())).contains(Position.parse("0/AB"));
      pair.onTarget(
          "UPDATE control.checkpoint SET position = '0/CD'",
          "UPDATE app.t SET v = 'new'",
          "DELETE FROM app.k");
      ChunkSums first = sums(view, "t", "id");
      assertThat(sums(view, "k", "a", "b").rows()).isEqualTo(ROWS);
      assertThat(sums(view, "t", "id")).isEqualTo(first);
      assertThat(view.takeSnapshot(checkpoint())).contains(Position.parse("0/CD"));
      assertThat(sums(view, "k", "a", "b").rows()).isZero();
      assertThat(sums(view, "t", "id")).isNotEqualTo(first);
    }
  }

  @Test
  void aTableThatCannotBeReadUnderTheSnapshotDoesNotEndIt() throws Exception {
    try (TargetView view = open()) {
      view.takeSnapshot();
      assertThat(sums(view, "t", "id").rows()).isEqualTo(ROWS);
      assertThat(reasonOf(() -> view.sums(where("1 / (id - id) = 1"), KeyRange.ALL, HASH, 10_000)))
          .isEqualTo(Reason.FAILED);
      assertThat(sums(view, "t", "id").rows()).isEqualTo(ROWS);
      pair.onTarget("TRUNCATE app.t");
      assertThat(reasonOf(() -> view.sums(where("true"), KeyRange.ALL, HASH, 10_000)))
          .isEqualTo(Reason.CHANGED);
      assertThat(sums(view, "k", "a", "b").rows()).isEqualTo(ROWS);
    }
  }

  @Test
  void aReadHoldsNoLockThatAnAlterationWouldWaitFor() throws Exception {
    try (TargetView view = open()) {
      view.takeSnapshot();
      assertThat(sums(view, "t", "id").rows()).isEqualTo(ROWS);
      pair.onTarget("SET lock_timeout = '1s'", "ALTER TABLE app.t ADD COLUMN more int");
    }
  }

  @Test
  void aConflictEndsTheSnapshotAndTheNextOneIsRead() throws Exception {
    try (TargetView view = open()) {
      view.takeSnapshot();
      assertThat(sums(view, "t", "id").rows()).isEqualTo(ROWS);
      pair.proxy().failOnce("select count", Fault.CONFLICT);
      assertThat(reasonOf(() -> view.sums(rows("t", "id"), KeyRange.ALL, HASH, 10_000)))
          .isEqualTo(Reason.OUT_OF_TIME);
      assertThatThrownBy(() -> view.sums(rows("t", "id"), KeyRange.ALL, HASH, 10_000))
          .isInstanceOf(NotReadable.class)
          .hasMessageContaining("the snapshot of the target is over");
      view.takeSnapshot();
      assertThat(sums(view, "t", "id").rows()).isEqualTo(ROWS);
    }
  }

  @Test
  void anErrorThatEndsTheSnapshotEndsTheSessionAndIsThatOfItsTableAlone() throws Exception {
    List<ComparisonPlan> plans =
        List.of(
            ComparisonPlan.whole(table("t"), List.of("id")),
            ComparisonPlan.whole(table("k"), List.of("a", "b")));
    pair.proxy().failOnce("select count", Fault.CONFLICT);

    SessionFindings ended = pair.session().run(checkpoint(), plans);

    assertThat(ended.tables()).extracting(TableFindings::table).containsExactly(table("t"));
    assertThat(ended.tables().get(0).end()).isEqualTo(TableFindings.End.OUT_OF_TIME);
    assertThat(pair.session().run(checkpoint(), plans).tables())
        .hasSize(2)
        .allMatch(TableFindings::isProven);
  }

  @Test
  void aCloseDoesNotWaitForTheReadThatRuns() throws Exception {
    try (Connection other = pair.connectTarget();
        Statement statement = other.createStatement()) {
      TargetView view = pair.comparisonTarget().open(Duration.ofSeconds(30));
      view.takeSnapshot();
      view.form(HASH.seeds());
      view.table(table("t"));
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE app.t");
      CompletableFuture<Throwable> read =
          CompletableFuture.supplyAsync(
              () -> catchThrowable(() -> view.sums(rows("t", "id"), KeyRange.ALL, HASH, 10_000)));
      await()
          .atMost(Duration.ofSeconds(25))
          .until(
              () ->
                  !pair.onTargetGet("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0"));

      view.close();

      // Its own time would have ended it in another way.
      assertThat(read.join()).isInstanceOf(SluiceException.Retryable.class);
    }
  }

  /** Further lanes have no session, and leave all chunks to the first one. */
  @Test
  void oneSessionReadsAllChunksOfFourLanes() throws Exception {
    pair.onTarget("UPDATE app.t SET v = 'other' WHERE id = 7");
    SessionLimits limits =
        new SessionLimits(
                Duration.ofMinutes(2), 100, 100_000, 1000, 100_000, Duration.ofSeconds(10))
            .withLanes(4);

    TableFindings found =
        MovingPair.compare(pair.session(limits), ComparisonPlan.whole(table("t"), List.of("id")));

    assertThat(found.chunks()).hasSizeGreaterThanOrEqualTo(ROWS / 100);
    assertThat(found.differences()).hasSize(1);
    assertThat(found.rest()).isEmpty();
  }

  /** The bit is that of YugabyteDB, which PostgreSQL keeps and does not look at. */
  @Test
  void aTableWithAHashedKeyIsReadInOneScanAndNotByRanges() throws Exception {
    pair.onTarget(
        "UPDATE pg_index SET indoption = '4' WHERE indexrelid = 'app.t_pkey'::regclass",
        "UPDATE app.t SET v = 'other' WHERE id = 7");

    TableFindings hashed = pair.compare("t");
    TableFindings ranged = pair.compare(ComparisonPlan.whole(table("k"), List.of("a", "b")));

    assertThat(hashed.chunks()).allMatch(chunk -> chunk.bounds() instanceof KeyBuckets);
    assertThat(hashed.differences()).hasSize(1);
    assertThat(ranged.chunks()).allMatch(chunk -> chunk.bounds() instanceof KeyRange);
    assertThat(ranged.isProven()).isTrue();
  }

  private TargetView open() {
    return pair.comparisonTarget().open(Duration.ofMinutes(2));
  }

  /** Of the table as the snapshot shows it, in the columns that it has. */
  private static ChunkSums sums(TargetView view, String table, String... key) {
    view.form(HASH.seeds());
    view.table(table(table));
    return view.sums(rows(table, key), KeyRange.ALL, HASH, 10_000);
  }

  private static ComparedRows rows(String table, String... key) {
    return rows(table, Optional.empty(), List.of(key));
  }

  private static ComparedRows where(String condition) {
    return rows("t", Optional.of(condition), List.of("id"));
  }

  private static ComparedRows rows(String table, Optional<String> condition, List<String> key) {
    return new ComparedRows(
        table(table),
        false,
        key.stream().map(ComparedValue::of).toList(),
        key,
        List.of(ComparedValue.of("v")),
        condition,
        List.of());
  }

  private interface Read {
    void run();
  }

  private static Reason reasonOf(Read read) {
    Throwable failure = catchThrowable(read::run);
    assertThat(failure).isInstanceOf(NotReadable.class);
    return ((NotReadable) failure).reason();
  }
}
