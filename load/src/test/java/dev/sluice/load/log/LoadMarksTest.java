package dev.sluice.load.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.SegmentLoad;
import dev.sluice.load.SegmentLoader;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.lane.TableStarts;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TestTarget;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoadMarksTest {
  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  private static final TableId ITEMS = new TableId("public", "items");
  private static final TableId ORDERS = new TableId("public", "orders");
  private static final Position FIRST = Position.parse("0/100");
  private static final Position SECOND = Position.parse("0/200");
  private static final CopyLayout LAYOUT =
      new CopyLayout(List.of("id"), List.of("id"), CopyFormat.TEXT, Optional.empty());

  private static int schemas;

  private CheckpointStore store;
  private LoadMarks marks;

  @BeforeEach
  void create() throws SQLException {
    String schema = "marks_" + ++schemas;
    store = new CheckpointStore(TARGET.server(), schema);
    store.create();
    marks = new LoadMarks(TARGET.server(), schema, "task");
    run("DROP TABLE IF EXISTS items", "CREATE TABLE items (id int)");
  }

  @Test
  void aTableIsCompleteWhenAllItsSegmentsAre() {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0), segment(ITEMS, 1)));

    load(marks.of(claimed.epoch(), ITEMS, 0), 2);
    assertThat(marks.whole()).isEmpty();

    load(marks.of(claimed.epoch(), ITEMS, 1), 3);
    assertThat(marks.whole()).containsExactly(new LoadedTable(ITEMS, "shape", FIRST, 5, 10));
  }

  @Test
  void aSegmentWithoutRowsIsComplete() {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0)));

    load(marks.of(claimed.epoch(), ITEMS, 0), 0);

    assertThat(marks.whole()).extracting(LoadedTable::rows).containsExactly(0L);
  }

  @Test
  void theMarkOfAStepIsCommittedAndRolledBackWithItsRows() throws SQLException {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0)));
    try (SegmentLoader loader = SegmentLoader.open(TARGET.server(), 2)) {
      SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks.of(claimed.epoch(), ITEMS, 0));
      for (int row = 0; row < 5; row++) {
        load.add(row());
      }
      // Two steps are committed, and half of a third one is not.
      load.close();
    }

    assertThat(number("SELECT count(*) FROM items")).isEqualTo(4);
    assertThat(number("SELECT loaded_rows FROM marks_" + schemas + ".load_segment")).isEqualTo(4);
    assertThat(marks.whole()).isEmpty();
  }

  @Test
  void aStepThatIsThereIsNotWrittenAgain() throws SQLException {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0)));
    StepMark mark = marks.of(claimed.epoch(), ITEMS, 0);
    try (TargetConnection connection = TARGET.server().connect()) {
      mark.write(connection, 0, 2, 4, false);
      connection.jdbc().commit();

      assertThatThrownBy(() -> mark.write(connection, 0, 2, 4, false))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("already");
      connection.rollback();
      mark.write(connection, 2, 3, 9, true);
      connection.jdbc().commit();
    }
    assertThat(marks.whole()).extracting(LoadedTable::rows).containsExactly(5L);
  }

  @Test
  void noStepOfAReplacedAttemptCommitsLater() throws SQLException {
    Checkpoint zombie = store.claim("task");
    marks.begin(zombie, FIRST, List.of(segment(ITEMS, 0)));
    try (SegmentLoader loader = SegmentLoader.open(TARGET.server(), 2)) {
      SegmentLoad load = loader.begin(ITEMS, LAYOUT, marks.of(zombie.epoch(), ITEMS, 0));
      load.add(row());

      Checkpoint claimed = store.claim("task");
      marks.keepOnly(claimed, List.of(), List.of());
      marks.begin(claimed, SECOND, List.of(segment(ITEMS, 0)));

      assertThatThrownBy(load::finish).isInstanceOf(SluiceException.Fenced.class);
      load.close();
    }
    assertThat(number("SELECT count(*) FROM items")).isZero();
    assertThat(marks.whole()).isEmpty();
  }

  @Test
  void aDiscardedTableIsNotCompleteAndStaysRecordedUntilTheNextLoadStarts() {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0), segment(ORDERS, 0)));
    load(marks.of(claimed.epoch(), ITEMS, 0), 1);

    Checkpoint next = store.claim("task");
    marks.keepOnly(next, List.of(), List.of());
    assertThat(marks.whole()).isEmpty();
    assertThat(marks.begun()).containsExactly(ITEMS, ORDERS);

    marks.begin(next, SECOND, List.of(segment(ORDERS, 0)));
    assertThat(marks.begun()).containsExactly(ORDERS);
  }

  @Test
  void aDaemonThatLostTheClaimStartsNothing() {
    Checkpoint lost = store.claim("task");
    store.claim("task");

    assertThatThrownBy(() -> marks.keepOnly(lost, List.of(), List.of()))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThatThrownBy(() -> marks.begin(lost, FIRST, List.of(segment(ITEMS, 0))))
        .isInstanceOf(SluiceException.Fenced.class);
  }

  @Test
  void eachTableStartsWhereItWasReadAndAllOthersAtTheLatest() {
    assertThat(marks.starts()).isEqualTo(TableStarts.NONE);
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0), segment(ORDERS, 0)));
    load(marks.of(claimed.epoch(), ITEMS, 0), 1);

    Checkpoint next = store.claim("task");
    marks.keepOnly(next, List.of(ITEMS), List.of());
    marks.begin(next, SECOND, List.of(segment(ORDERS, 0)));
    load(marks.of(next.epoch(), ORDERS, 0), 1);

    assertThat(marks.starts())
        .isEqualTo(new TableStarts(Map.of(ITEMS, FIRST, ORDERS, SECOND), SECOND));
  }

  private static RowChunk row() {
    RowChunk chunk = new RowChunk();
    byte[] row = "7\n".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(row, 0, chunk.bytes(), 0, row.length);
    chunk.added(row.length);
    chunk.rowEnded();
    return chunk;
  }

  @Test
  void completeSegmentsOfATableAreKeptAndTheOthersStartAgain() {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0), segment(ITEMS, 1), segment(ORDERS, 0)));
    load(marks.of(claimed.epoch(), ITEMS, 1), 3);

    LoadedPart part = only(marks.parts().read());
    assertThat(part)
        .isEqualTo(
            new LoadedPart(
                ITEMS,
                "shape",
                FIRST,
                List.of(
                    new LoadedSegment(0, "all rows", 0, false),
                    new LoadedSegment(1, "all rows", 0, true)),
                3,
                6));

    Checkpoint next = store.claim("task");
    marks.keepOnly(next, List.of(), List.of(part));
    marks.begin(next, SECOND, List.of(segment(ITEMS, 0)));
    moved(part, SECOND);
    load(marks.of(next.epoch(), ITEMS, 0), 2);

    assertThat(marks.whole()).containsExactly(new LoadedTable(ITEMS, "shape", SECOND, 5, 10));
    assertThat(marks.begun()).containsExactly(ITEMS);
  }

  @Test
  void aReplacedDaemonLoadsNoFurtherSegmentOfAPartlyKeptTable() {
    Checkpoint zombie = store.claim("task");
    marks.begin(zombie, FIRST, List.of(segment(ITEMS, 0), segment(ITEMS, 1)));
    load(marks.of(zombie.epoch(), ITEMS, 0), 1);
    LoadedPart part = only(marks.parts().read());

    Checkpoint next = store.claim("task");
    marks.keepOnly(next, List.of(), List.of(part));

    assertThatThrownBy(() -> load(marks.of(zombie.epoch(), ITEMS, 1), 1))
        .isInstanceOf(SluiceException.Fenced.class);
  }

  @Test
  void aPartIsNotTakenOverWhereMoreOfItWasLoadedSinceItWasRead() {
    Checkpoint zombie = store.claim("task");
    marks.begin(zombie, FIRST, List.of(segment(ITEMS, 0), segment(ITEMS, 1), segment(ITEMS, 2)));
    load(marks.of(zombie.epoch(), ITEMS, 0), 1);
    LoadedPart part = only(marks.parts().read());
    load(marks.of(zombie.epoch(), ITEMS, 1), 1);

    assertThatThrownBy(() -> marks.keepOnly(store.claim("task"), List.of(), List.of(part)))
        .isInstanceOf(SluiceException.Retryable.class);
    assertThat(only(marks.parts().read()).done()).isEqualTo(2);
  }

  @Test
  void segmentsThatAnotherDaemonMovedAreNeitherMovedNorDiscardedAgain() {
    Checkpoint claimed = store.claim("task");
    marks.begin(claimed, FIRST, List.of(segment(ITEMS, 0), segment(ITEMS, 1)));
    load(marks.of(claimed.epoch(), ITEMS, 0), 1);
    LoadedPart part = only(marks.parts().read());
    moved(part, SECOND);

    assertThatThrownBy(() -> moved(part, SECOND)).isInstanceOf(SluiceException.Retryable.class);
    marks.parts().giveUp(List.of(part));
    LoadedPart now = only(marks.parts().read());
    assertThat(now.start()).isEqualTo(SECOND);

    marks.parts().giveUp(List.of(now));
    assertThat(marks.parts().read()).isEmpty();
  }

  private void moved(LoadedPart part, Position start) {
    try (TargetConnection connection = TARGET.server().connect()) {
      marks.parts().hold(connection, part);
      marks.parts().move(connection, part, start);
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static LoadedPart only(List<LoadedPart> parts) {
    assertThat(parts).hasSize(1);
    return parts.get(0);
  }

  private static SegmentToLoad segment(TableId table, int number) {
    return new SegmentToLoad(table, number, "all rows", "shape", 0, false);
  }

  private static void load(StepMark mark, int rows) {
    try (SegmentLoader loader = SegmentLoader.open(TARGET.server(), 2);
        SegmentLoad load = loader.begin(ITEMS, LAYOUT, mark)) {
      for (int row = 0; row < rows; row++) {
        load.add(row());
      }
      load.finish();
    }
  }

  private static void run(String... statements) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect()) {
      for (String sql : statements) {
        connection.execute("SET LOCAL search_path = public");
        connection.execute(sql);
      }
      connection.jdbc().commit();
    }
  }

  private static long number(String sql) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect();
        Statement statement = connection.jdbc().createStatement()) {
      statement.execute("SET LOCAL search_path = public");
      try (ResultSet row = statement.executeQuery(sql)) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
