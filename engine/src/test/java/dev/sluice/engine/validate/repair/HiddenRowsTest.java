package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.TablePart;
import dev.sluice.engine.validate.repair.RepairOutcome.Refused;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.MovingPair;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A damaged index of a key must not lead to a second row of the same key. */
class HiddenRowsTest {
  private static final TableId TABLE = MovingPair.table("t");
  private static final String ROWS =
      "INSERT INTO app.t SELECT i, 'right' || repeat('x', 1000) FROM generate_series(1, 300) i";

  private RepairPair both;
  private MovingPair pair;

  @BeforeEach
  void makeDatabases() throws SQLException {
    both = new RepairPair();
    pair = both.both();
  }

  @AfterEach
  void dropDatabases() throws SQLException {
    both.close();
  }

  @Test
  void aRowThatTheKeysIndexDoesNotFindIsNotInsertedASecondTime() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)", ROWS);
    hide("app.t", "app.t_pkey", 250);
    pair.onTarget("DELETE FROM app.t WHERE id IN (2, 299)");
    assertThat(byIndex(250)).isEqualTo("0");

    RepairOutcome outcome = repair(2, 250, 299);

    assertThat(outcome.count()).isEqualTo(2);
    assertThat(outcome.refused())
        .extracting(row -> row.row().key())
        .containsExactly(RowKey.of("250"));
    assertThat(outcome.refused()).extracting(Refused::why).first().asString().contains("REINDEX");
    assertThat(inHeap(250)).isEqualTo("1");
    assertThat(inHeap(2) + inHeap(299)).isEqualTo("11");

    pair.onTarget("REINDEX TABLE app.t");
    assertThat(repair(250).refused()).isEmpty();
    assertThat(inHeap(250)).isEqualTo("1");
  }

  @Test
  void everyPartOfEveryPartitionIsSearched() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text) PARTITION BY RANGE (id)",
        "CREATE TABLE app.t_1 PARTITION OF app.t FOR VALUES FROM (0) TO (50)",
        "CREATE TABLE app.t_2 PARTITION OF app.t FOR VALUES FROM (50) TO (1000)",
        ROWS);
    hide("app.t_1", "app.t_1_pkey", 1);
    hide("app.t_1", "app.t_1_pkey", 49);
    hide("app.t_2", "app.t_2_pkey", 60);
    hide("app.t_2", "app.t_2_pkey", 300);
    pair.onTarget("DELETE FROM app.t WHERE id = 70");
    List<TablePart> parts = new ArrayList<>();

    Set<RowKey> hidden = search(parts, () -> {}).among(keys(1, 49, 60, 70, 300));

    assertThat(hidden).containsExactlyInAnyOrderElementsOf(keys(1, 49, 60, 300));
    assertThat(parts).hasSizeGreaterThan(2);
  }

  @Test
  void aRowThatMovesIntoAPartThatWasSearchedIsFoundByTheIndexFromThenOn() throws Exception {
    assertThat(searchWhileItBecomes("v || repeat('y', 5000)")).isEmpty();
    assertThat(pair.onTargetGet("SELECT ctid < '(1,0)' FROM app.t WHERE id = 250")).isEqualTo("t");
    assertThat(byIndex(250)).isEqualTo("1");
    // The repair looks at it by the index again while the lane is held.
    assertThat(repair(250).count()).isEqualTo(1);
    assertThat(inHeap(250)).isEqualTo("1");
  }

  @Test
  void aRowWhoseUpdateMakesNoIndexEntryStaysInItsPartAndIsFoundThere() throws Exception {
    assertThat(searchWhileItBecomes("left(v, 10)")).isEqualTo(Set.copyOf(keys(250)));
    assertThat(byIndex(250)).isEqualTo("0");
  }

  /** A hidden row of a late page is updated right after the first page was searched. */
  private Set<RowKey> searchWhileItBecomes(String value) throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)", ROWS);
    hide("app.t", "app.t_pkey", 250);
    // Room in the first page.
    pair.onTarget(
        "ALTER TABLE app.t ALTER v SET STORAGE PLAIN",
        "DELETE FROM app.t WHERE id < 7",
        "VACUUM app.t");
    List<TablePart> parts = new ArrayList<>();
    return search(
            parts,
            () -> {
              if (parts.size() == 1) {
                pair.onTarget(
                    "SET enable_indexscan = off; SET enable_bitmapscan = off; UPDATE app.t SET v ="
                        + " %s WHERE id = 250; RESET ALL".formatted(value));
              }
            })
        .among(keys(250));
  }

  @Test
  void theTableIsSearchedOnceForAllRowsThatAreExpected() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)", ROWS);
    hide("app.t", "app.t_pkey", 250);
    List<TablePart> parts = new ArrayList<>();
    HiddenRows rows = search(parts, () -> {}, 7, 250);

    assertThat(rows.among(keys(7))).isEmpty();
    int once = parts.size();
    assertThat(rows.among(keys(250))).isEqualTo(Set.copyOf(keys(250)));
    assertThat(parts).hasSize(once);
    assertThat(rows.among(keys(8))).isEmpty();
    assertThat(parts).hasSizeGreaterThan(once);
  }

  private interface Action {
    void run() throws Exception;
  }

  /** In parts of one page at first. */
  private HiddenRows search(List<TablePart> parts, Action afterPart, int... expected) {
    ComparisonSession session = pair.session(TableMappings.EVERYTHING, both.journal());
    ComparisonPlan plan = ComparisonPlan.touched(TABLE, List.of("id"), List.of());
    return new HiddenRows(
        () ->
            new Watched(
                new HiddenRows.OfTarget(
                    session.targetRows(plan, session.sourceTable(plan), Duration.ofMinutes(5))),
                parts,
                afterPart),
        keys(expected),
        1);
  }

  /** Remembers the parts that are read. */
  private record Watched(HiddenRows.Reads reads, List<TablePart> parts, Action afterPart)
      implements HiddenRows.Reads {
    @Override
    public long pages() {
      return reads.pages();
    }

    @Override
    public Set<RowKey> in(TablePart part, List<RowKey> keys) {
      Set<RowKey> found = reads.in(part, keys);
      parts.add(part);
      try {
        afterPart.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return found;
    }

    @Override
    public Set<RowKey> byIndex(List<RowKey> keys) {
      return reads.byIndex(keys);
    }

    @Override
    public void close() {
      reads.close();
    }
  }

  /** The row is written while its index takes no entries. */
  private void hide(String table, String index, int id) throws SQLException {
    String set = "UPDATE pg_index SET indisready = %s WHERE indexrelid = '%s'::regclass";
    pair.onTarget(
        "DELETE FROM %s WHERE id = %d".formatted(table, id),
        "VACUUM " + table,
        set.formatted(false, index),
        // Into the place of the deleted row, or into the last page.
        "INSERT INTO %s VALUES (%d, 'hidden' || repeat('x', 1000))".formatted(table, id),
        set.formatted(true, index));
  }

  private RepairOutcome repair(int... ids) throws InterruptedException {
    return both.repair(
        TABLE,
        List.of("id"),
        IntStream.of(ids).mapToObj(String::valueOf).toList(),
        (columns, found) -> found,
        (connection, rows) -> {});
  }

  private static List<RowKey> keys(int... ids) {
    return IntStream.of(ids).mapToObj(id -> RowKey.of(String.valueOf(id))).toList();
  }

  private String byIndex(int id) throws SQLException {
    pair.onTarget("SET enable_seqscan = off", "SET enable_bitmapscan = off");
    String count = pair.onTargetGet("SELECT count(*) FROM app.t WHERE id = " + id);
    pair.onTarget("RESET ALL");
    return count;
  }

  private String inHeap(int id) throws SQLException {
    pair.onTarget(
        "SET enable_indexscan = off",
        "SET enable_indexonlyscan = off",
        "SET enable_bitmapscan = off");
    String count = pair.onTargetGet("SELECT count(*) FROM app.t WHERE id = " + id);
    pair.onTarget("RESET ALL");
    return count;
  }
}
