package dev.sluice.sink.touched;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.lane.ChangeObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Histories of random transactions, snapshots and comparisons, beside a model that keeps
 * everything.
 */
class TouchedHistoryTest {
  private static final int STEPS = 30_000;
  private static final RowSchema A = schema("a");
  private static final RowSchema B = schema("b");
  private static final TouchedLimits AMPLE =
      new TouchedLimits(Integer.MAX_VALUE, DataSize.ofMebibytes(500), DataSize.ofMebibytes(500));

  private static RowSchema schema(String name) {
    return new RowSchema(
        new TableId("s", name),
        List.of(
            new Column("v", "text", true, false),
            new Column("id", "integer", false, true),
            new Column("part", "text", false, true)));
  }

  private static Row key(int number) {
    return RowBuilder.rowOf(String.valueOf(number), "part " + number % 7);
  }

  private static Row row(int number) {
    return RowBuilder.rowOf("value", String.valueOf(number), "part " + number % 7);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void withRoomForAllKeysEachAnswerIsComplete(long seed) {
    History history = new History(new Random(seed), AMPLE);
    history.run();
    assertThat(history.unknown).isZero();
    assertThat(history.left).isGreaterThan(1000);
    assertThat(history.dirty).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void withoutRoomAnAnswerIsUnknownOrDirtyAndNeverIncomplete(long seed) {
    TouchedLimits few = new TouchedLimits(100, DataSize.ofKibibytes(40), DataSize.ofKibibytes(60));
    History history = new History(new Random(seed), few);
    history.run();
    assertThat(history.unknown).isPositive();
    assertThat(history.dirty).isPositive();
    assertThat(history.known).isGreaterThan(100);
  }

  /** A source with open transactions, whose ends come in another order than their ids. */
  private static final class History {
    private final Random random;
    private final TouchedLimits limits;
    private final TouchedKeys touched;
    private final Map<RowSchema, Model> models = Map.of(A, new Model(), B, new Model());
    private final TreeSet<Long> open = new TreeSet<>();

    /** Their commits are in the log, and no snapshot shows them: they wait for a standby. */
    private final TreeSet<Long> waiting = new TreeSet<>();

    private VisibleTransactions snapshot;
    private final List<Committed> committed = new ArrayList<>();
    private long next = 1000;
    private long position = 1;

    /** The position up to which the target has all. */
    private long applied = 1;

    private int keys = 200;
    int unknown;
    int known;
    int dirty;
    int left;

    History(Random random, TouchedLimits limits) {
      this.random = random;
      this.limits = limits;
      this.touched = new TouchedKeys(limits);
      touched.completeFrom(next);
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        if (i % 1000 == 0) {
          keys = i % 2000 == 0 ? 200 : 5000;
        }
        switch (random.nextInt(8)) {
          case 0, 1 -> open.add(next++);
          case 2, 3, 4, 5 -> end();
          case 6 -> applied += random.nextLong(position - applied + 1);
          default -> session();
        }
        assertThat(touched.memory()).isLessThan(limits.ofAll().bytes() + limits.ofTable().bytes());
      }
    }

    /** Takes a snapshot, and compares as of it some steps later. */
    private void session() {
      if (snapshot == null) {
        TreeSet<Long> running = new TreeSet<>(open);
        running.addAll(waiting);
        snapshot =
            new VisibleTransactions(running.isEmpty() ? next : running.first(), next, running);
        if (random.nextInt(3) == 0) {
          waiting.clear();
        }
      } else {
        compare(random.nextInt(20) == 0);
        snapshot = null;
      }
    }

    /** Ends a transaction: mostly an old one, and some stay open for long. */
    private void end() {
      if (open.isEmpty()) {
        return;
      }
      List<Long> all = List.copyOf(open);
      int at = Math.max(0, all.size() - 1 - random.nextInt(10));
      long id = open.size() > 30 ? all.get(0) : all.get(at);
      open.remove(id);
      if (random.nextInt(5) > 0) {
        commit(id);
        if (random.nextInt(20) == 0) {
          waiting.add(id);
        }
      }
    }

    private void commit(long id) {
      Position at = new Position(++position);
      TransactionEnd end = new TransactionEnd(1, at, 0, id);
      ChangeObserver observer = touched.of(end);
      Map<RowSchema, Set<Row>> changed = new HashMap<>();
      int changes = random.nextInt(50) == 0 ? 300 : random.nextInt(6);
      for (int i = 0; i < changes; i++) {
        RowSchema schema = random.nextInt(3) == 0 ? B : A;
        observer.observe(change(schema, changed.computeIfAbsent(schema, any -> new HashSet<>())));
      }
      observer.complete();
      committed.add(new Committed(at, id, changed));
      changed.forEach(
          (schema, rows) -> rows.forEach(row -> models.get(schema).uncompared.put(row, at)));
    }

    private RowChange change(RowSchema schema, Set<Row> rows) {
      int number = random.nextInt(keys);
      int other = random.nextInt(keys);
      rows.add(key(number));
      switch (random.nextInt(4)) {
        case 0 -> {
          return new RowChange(schema, null, row(number));
        }
        case 1 -> {
          return new RowChange(schema, key(number), null);
        }
        case 2 -> {
          return new RowChange(schema, key(number), row(number));
        }
        default -> {
          rows.add(key(other));
          return new RowChange(schema, key(number), row(other));
        }
      }
    }

    private void compare(boolean readAll) {
      Position upTo = new Position(applied);
      if (random.nextInt(3) == 0) {
        touched.shownBy(snapshot);
      }
      for (RowSchema schema : List.of(A, B)) {
        Set<Row> leftOut = compare(schema, snapshot, upTo);
        if (leftOut != null) {
          followed(schema, upTo, leftOut, readAll);
        }
      }
    }

    /** Compares the answer with the model; null if it is not known. */
    private Set<Row> compare(RowSchema schema, VisibleTransactions snapshot, Position upTo) {
      Set<Row> expected = new HashSet<>();
      for (Committed each : committed) {
        if (!each.at().isAfter(upTo) && !snapshot.shows(each.id())) {
          expected.addAll(each.changed().getOrDefault(schema, Set.of()));
        }
      }
      if (touched.notShown(schema.table(), snapshot, upTo) instanceof NotShown.Rows rows) {
        assertThat(rows.rows().keys()).doesNotHaveDuplicates().hasSameElementsAs(expected);
        known++;
        left += expected.size();
        return expected;
      }
      unknown++;
      return null;
    }

    /** Compares touched rows, and now and then the whole table. */
    private void followed(RowSchema schema, Position upTo, Set<Row> leftOut, boolean readAll) {
      Model model = models.get(schema);
      if (readAll) {
        model.uncompared.values().removeIf(at -> !at.isAfter(upTo));
        touched.readAll(schema.table(), upTo);
        leftOut.forEach(row -> model.uncompared.putIfAbsent(row, upTo));
      }
      Uncompared all = touched.uncompared(schema.table(), Integer.MAX_VALUE, Position.MAX);
      Optional<Position> dirtySince = all.dirtySince();
      dirty += dirtySince.isPresent() ? 1 : 0;
      assertThat(all.all()).isEqualTo(all.rows().keys().size());
      Set<Row> kept = new HashSet<>(all.rows().keys());
      model.uncompared.forEach(
          (row, at) -> {
            if (!kept.contains(row)) {
              assertThat(dirtySince).as("%s touched at %s is lost", row, at).isPresent();
              assertThat(at.isAfter(dirtySince.get())).isFalse();
            }
          });
      Uncompared some = touched.uncompared(schema.table(), 50, upTo);
      List<Row> rows = some.rows().keys().stream().filter(row -> !leftOut.contains(row)).toList();
      assertThat(some.rows().keys()).hasSizeLessThanOrEqualTo(50);
      touched.compared(schema.table(), rows, upTo);
      for (Row row : rows) {
        Position last = model.uncompared.remove(row);
        assertThat(last == null || !last.isAfter(upTo)).isTrue();
      }
    }
  }

  private record Committed(Position at, long id, Map<RowSchema, Set<Row>> changed) {}

  /** What was touched since it was compared. */
  private static final class Model {
    final Map<Row, Position> uncompared = new HashMap<>();
  }
}
