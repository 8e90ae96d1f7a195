package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.HashParts;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowHash.Function;
import dev.sluice.connector.api.comparison.RowHash.RowForm;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.comparison.WholeTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One side by itself. */
class SideViewTest {
  private static final RowHash HASH =
      new RowHash(new HashSeeds(11, 12), Function.FAST, RowForm.UTF8);

  private MovingPair pair;

  @BeforeEach
  void create() throws SQLException {
    pair = new MovingPair();
    pair.onSource(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, 'v' || i FROM generate_series(1, 2000) i");
  }

  @AfterEach
  void close() throws SQLException {
    pair.close();
  }

  private SourceView open() {
    return open(Duration.ofMinutes(1));
  }

  private SourceView open(Duration life) {
    SourceView view = pair.comparisonSource().open(life);
    view.form(HASH.seeds());
    view.table(table("t"));
    return view;
  }

  private static ComparedRows rows(String condition, String... columns) {
    return new ComparedRows(
        table("t"),
        false,
        List.of(ComparedValue.of("id")),
        List.of("id"),
        List.of(columns).stream().map(ComparedValue::of).toList(),
        Optional.ofNullable(condition),
        List.of());
  }

  @Test
  void aReadEndsAsSoonAsOthersWaitForItsLock() throws Exception {
    try (SourceView view = open()) {
      CompletableFuture<Throwable> read =
          CompletableFuture.supplyAsync(
              () ->
                  catchThrowableOfType(
                      NotReadable.class,
                      () ->
                          view.sums(
                              rows("pg_catalog.pg_sleep(10) IS NOT NULL", "id", "v"),
                              KeyRange.ALL,
                              HASH,
                              1_000_000)));
      Awaitility.await()
          .until(
              () ->
                  pair.onSourceGet(
                          "SELECT count(*) FROM pg_locks WHERE mode = 'AccessShareLock'"
                              + " AND relation = 'app.t'::regclass AND granted")
                      .equals("1"));

      pair.onSource("ALTER TABLE app.t ADD COLUMN w int");

      assertThat(((NotReadable) read.get()).reason()).isEqualTo(Reason.BLOCKED);
      assertThatThrownBy(() -> view.sums(rows(null, "id"), KeyRange.ALL, HASH, 10))
          .isInstanceOf(NotReadable.class)
          .hasMessageContaining("altered after the snapshot");
    }
  }

  @Test
  void writersAreNotDisturbedAndNoReadCancelled() throws Exception {
    try (SourceView view = open()) {
      pair.onSource("UPDATE app.t SET v = 'new'", "CREATE INDEX ON app.t (v)");

      assertThat(view.sums(rows("v LIKE 'v%'", "id", "v"), KeyRange.ALL, HASH, 10_000).rows())
          .isEqualTo(2000);
    }
  }

  @Test
  void aReadEndsWithItsSnapshotsTime() throws Exception {
    try (SourceView view = open(Duration.ofSeconds(2))) {
      NotReadable ended =
          catchThrowableOfType(
              NotReadable.class,
              () ->
                  view.sums(
                      rows("pg_catalog.pg_sleep(1) IS NOT NULL", "id"),
                      KeyRange.ALL,
                      HASH,
                      10_000));
      assertThat(ended.reason()).isEqualTo(Reason.OUT_OF_TIME);
      NotReadable after =
          catchThrowableOfType(
              NotReadable.class, () -> view.sums(rows(null, "id"), KeyRange.ALL, HASH, 10_000));
      assertThat(after.reason()).isEqualTo(Reason.OUT_OF_TIME);
    }
  }

  @Test
  void theSnapshotTouchesNoTableOfTheApplication() throws Exception {
    try (SourceView view = open()) {
      assertThat(view.sums(rows(null, "id"), KeyRange.ALL, HASH, 10_000).rows()).isEqualTo(2000);
      assertThat(
              pair.onSourceGet("SELECT count(*) FROM pg_locks WHERE relation = 'app.t'::regclass"))
          .isEqualTo("0");
      pair.onSource("DROP TABLE app.t");
    }
  }

  @Test
  void otherSeedsAndAnotherFunctionGiveOtherSumsOfTheSameRows() {
    try (SourceView view = open()) {
      ChunkSums one = view.sums(rows(null, "id", "v"), KeyRange.ALL, HASH, 10_000);
      RowHash seeded = new RowHash(new HashSeeds(11, 13), Function.FAST, RowForm.UTF8);
      RowHash sha = new RowHash(HASH.seeds(), Function.SHA256, RowForm.UTF8);
      RowHash hex = new RowHash(HASH.seeds(), Function.FAST, RowForm.UTF8_HEX);

      ChunkSums other = view.sums(rows(null, "id", "v"), WholeTable.INSTANCE, seeded, 10_000);
      assertThat(other.first()).isEqualTo(one.first());
      assertThat(other.second()).isNotEqualTo(one.second());
      for (RowHash hash : List.of(sha, hex)) {
        ChunkSums sums = view.sums(rows(null, "id", "v"), KeyRange.ALL, hash, 10_000);
        assertThat(sums.rows()).isEqualTo(2000);
        assertThat(sums.first()).isNotEqualTo(one.first());
        assertThat(view.find(rows(null, "id", "v"), List.of(RowKey.of("7")), hash, Lookup.BY_INDEX))
            .hasSize(1);
      }
    }
  }

  @Test
  void theBlocksOfAChunkHaveItsRows() {
    try (SourceView view = open()) {
      ComparedRows rows =
          rows("id % 10 <> 0", "id", "v").leavingOut(List.of(RowKey.of("105"), RowKey.of("-1")));
      RowKey after = RowKey.of("100");

      List<RowKey> ends = view.endsOfBlocks(rows, KeyRange.from(Optional.of(after)), 100, 30);

      assertThat(ends)
          .containsExactly(RowKey.of("133"), RowKey.of("166"), RowKey.of("199"), RowKey.of("211"));
      List<KeyRange> blocks = ChunkBlocks.between(after, ends);
      List<ChunkSums> sums = view.sumsOfBlocks(rows, blocks, HASH, 1000);
      assertThat(sums.stream().map(ChunkSums::rows)).containsExactly(29L, 30L, 30L, 10L);
      assertThat(sums)
          .containsExactlyElementsOf(
              blocks.stream().map(block -> view.sums(rows, block, HASH, 1000)).toList());
      assertThat(view.hashesOfBlocks(rows, List.of(blocks.get(3), blocks.get(0)), HASH, 39))
          .containsExactlyInAnyOrderElementsOf(
              Stream.of(blocks.get(0), blocks.get(3))
                  .flatMap(block -> view.hashes(rows, block, HASH, HashParts.all(), 1000).stream())
                  .toList());
      assertThatThrownBy(() -> view.hashesOfBlocks(rows, blocks, HASH, 98))
          .isInstanceOf(NotReadable.class);
      assertThat(view.sumsOfBlocks(rows, blocks, HASH, 12).stream().map(ChunkSums::rows))
          .containsExactly(13L, 13L, 13L, 10L);
      KeyRange end = KeyRange.from(Optional.of(RowKey.of("1950")));
      assertThat(view.endsOfBlocks(rows, end, 100, 30)).hasSize(1);
      assertThat(view.endsOfBlocks(rows, end, 45, 30))
          .containsExactly(RowKey.of("1983"), RowKey.of("1999"));
    }
  }

  @Test
  void blocksFollowTheOrderOfTheKeysIndex() throws Exception {
    pair.onSource(
        "CREATE TABLE app.u (a int, b text COLLATE \"C\", v text, PRIMARY KEY (b, a))",
        "INSERT INTO app.u SELECT i, chr(65 + i % 26), i::text FROM generate_series(1, 1000) i");
    try (SourceView view = open()) {
      view.table(table("u"));
      ComparedRows rows =
          new ComparedRows(
              table("u"),
              false,
              List.of(ComparedValue.of("a"), ComparedValue.of("b")),
              List.of("b", "a"),
              List.of(ComparedValue.of("a"), ComparedValue.of("b"), ComparedValue.of("v")),
              Optional.empty(),
              List.of(RowKey.of("3", "D"), RowKey.of("55", "D")));
      RowKey after = RowKey.of("1", "B");

      List<RowKey> ends = view.endsOfBlocks(rows, KeyRange.from(Optional.of(after)), 400, 50);
      List<KeyRange> blocks = ChunkBlocks.between(after, ends);
      List<ChunkSums> sums = view.sumsOfBlocks(rows, blocks, HASH, 1000);

      assertThat(sums.stream().mapToLong(ChunkSums::rows).sum()).isEqualTo(398);
      assertThat(sums)
          .containsExactlyElementsOf(
              blocks.stream().map(block -> view.sums(rows, block, HASH, 1000)).toList());
      assertThat(view.hashesOfBlocks(rows, blocks, HASH, 1000))
          .hasSize(398)
          .anyMatch(row -> row.key().equals(RowKey.of("29", "D")))
          .noneMatch(row -> row.key().equals(RowKey.of("3", "D")));
    }
  }

  /** A table with a second index, which is smaller and begins with the same column. */
  private ComparedRows rowsWithASecondIndex() throws SQLException {
    pair.onSource(
        "CREATE TABLE app.w (a int, b int, c int, PRIMARY KEY (a, b))",
        "INSERT INTO app.w SELECT i % 10, i * 7919 % 100000, i % 7 FROM generate_series(0, 99999) i",
        "CREATE INDEX w_c ON app.w (a, c)",
        "ANALYZE app.w");
    return new ComparedRows(
        table("w"),
        false,
        List.of(ComparedValue.of("a"), ComparedValue.of("b")),
        List.of("a", "b"),
        List.of(ComparedValue.of("a"), ComparedValue.of("b"), ComparedValue.of("c")),
        Optional.empty(),
        List.of());
  }

  private void requireThatOnlyTheKeysIndexWasRead() throws SQLException {
    // A server counts what a session read when the session ends, if not before.
    Awaitility.await()
        .until(
            () ->
                pair.onSourceGet(
                        "SELECT sum(idx_scan) > 0 FROM pg_stat_user_indexes WHERE relname = 'w'")
                    .equals("t"));
    assertThat(
            pair.onSourceGet(
                "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'w_c'"))
        .isEqualTo("0");
  }

  @Test
  void blocksAreSearchedInTheKeysIndexThoughAnotherOneBeginsLikeIt() throws Exception {
    ComparedRows rows = rowsWithASecondIndex();
    try (SourceView view = open()) {
      view.table(table("w"));
      RowKey after = RowKey.of("1", "100");
      List<RowKey> ends = view.endsOfBlocks(rows, KeyRange.from(Optional.of(after)), 3000, 30);
      List<ChunkSums> sums = view.sumsOfBlocks(rows, ChunkBlocks.between(after, ends), HASH, 120);
      assertThat(sums).hasSize(100).allMatch(block -> block.rows() == 30);
    }
    requireThatOnlyTheKeysIndexWasRead();
  }

  private enum RangeRead {
    SUMS_OF_A_CHUNK {
      @Override
      void of(SourceView view, ComparedRows rows, KeyRange range) {
        assertThat(view.sums(rows, range, HASH, 40_000).rows()).isEqualTo(1000);
      }
    },
    SUMS_OF_ITS_PARTS {
      @Override
      void of(SourceView view, ComparedRows rows, KeyRange range) {
        assertThat(view.sumsByHash(rows, range, HASH, 4).stream().mapToLong(ChunkSums::rows).sum())
            .isEqualTo(1000);
      }
    },
    HASHES_OF_A_CHUNK {
      @Override
      void of(SourceView view, ComparedRows rows, KeyRange range) {
        assertThat(view.hashes(rows, range, HASH, HashParts.all(), 40_000)).hasSize(1000);
      }
    },
    HASHES_OF_BLOCKS {
      @Override
      void of(SourceView view, ComparedRows rows, KeyRange range) {
        List<KeyRange> blocks =
            ChunkBlocks.between(
                range.after().orElseThrow(), view.endsOfBlocks(rows, range, 1000, 100));
        assertThat(view.hashesOfBlocks(rows, blocks, HASH, 40_000)).hasSize(1000);
      }
    };

    abstract void of(SourceView view, ComparedRows rows, KeyRange range);
  }

  @ParameterizedTest
  @EnumSource
  void rangesAreSearchedInTheKeysIndexThoughAnotherOneBeginsLikeIt(RangeRead read)
      throws Exception {
    ComparedRows rows = rowsWithASecondIndex();
    try (SourceView view = open()) {
      view.table(table("w"));
      read.of(
          view,
          rows,
          new KeyRange(Optional.of(RowKey.of("1", "10000")), Optional.of(RowKey.of("1", "20000"))));
    }
    requireThatOnlyTheKeysIndexWasRead();
  }

  @Test
  void rowsAreFoundByScanWithoutTheirIndex() throws Exception {
    try (SourceView view = open()) {
      List<RowKey> keys = List.of(RowKey.of("5"), RowKey.of("-5"), RowKey.of("6"));
      assertThat(view.read(rows(null, "id", "v"), keys, Lookup.BY_SCAN))
          .isEqualTo(view.read(rows(null, "id", "v"), keys, Lookup.BY_INDEX))
          .hasSize(2);
    }
  }

  @Test
  void rowsWhoseTextIsTooLargeForTheServerAreHashedByColumns() throws Exception {
    pair.onSource(
        "ALTER TABLE app.t ADD COLUMN b bytea, ADD COLUMN u text",
        "UPDATE app.t SET b = decode(repeat('ab', 530000000), 'hex') WHERE id = 1",
        "UPDATE app.t SET u = repeat('x', 70000000) WHERE id = 2");
    try (SourceView view = open()) {
      ComparedRows rows = rows("id < 4", "id", "b", "u");
      ChunkSums before = view.sums(rows, KeyRange.ALL, HASH, 10);
      assertThat(before.rows()).isEqualTo(3);
      assertThat(view.read(rows, List.of(RowKey.of("1")), Lookup.BY_INDEX).get(0).values().get(1))
          .startsWith("length 530000000, sha256 ");
      pair.onSource("UPDATE app.t SET u = 'y' || substr(u, 2) WHERE id = 2");
      try (SourceView later = open()) {
        assertThat(later.sums(rows, KeyRange.ALL, HASH, 10)).isNotEqualTo(before);
      }
    }
  }

  @Test
  void aTargetIsPreparedWithoutMakingOthersWait() throws Exception {
    pair.onTarget(
        "CREATE TABLE app.t (id int)", "INSERT INTO app.t SELECT generate_series(1, 1000)");

    // Rows of a commit that is not on the disk yet stay as they are.
    Awaitility.await()
        .until(
            () -> {
              assertThat(pair.comparisonTarget().prepare(table("t"))).isTrue();
              return pair.onTargetGet("SELECT relallvisible > 0 FROM pg_class WHERE relname = 't'")
                  .equals("t");
            });
  }
}
