package dev.sluice.sink.window.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.Tunings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Net changes against an oracle: a source table is changed row by row, the target by rounds of net
 * changes, cut anywhere. After each round both must be equal.
 */
final class NetChangesPropertiesTest {
  private static final RowSchema KEYED = schema(true);
  private static final RowSchema KEYLESS = schema(false);

  /** Few keys, so that they meet often. */
  private static final int KEYS = 4;

  @Property(tries = 20_000)
  void aKeyedTableIsTheSameAfterEachRound(
      @ForAll @Size(max = 4) List<@IntRange(max = KEYS - 1) Integer> there,
      @ForAll @Size(max = 40) List<@IntRange(min = 0, max = 100_000) Integer> steps) {
    Source source = new Source(there);
    Map<String, Row> target = new TreeMap<>(source.rows);
    RoundCutter cutter = new RoundCutter(Tunings.batch());
    for (int step : steps) {
      if (step % 13 == 0) {
        applyKeyed(cutter.finish(), target);
        assertThat(target).isEqualTo(source.rows);
      }
      ChangeEvent event = source.change(step / 13);
      if (event != null) {
        applyKeyed(cutter.add(event), target);
      }
    }
    applyKeyed(cutter.finish(), target);
    assertThat(target).isEqualTo(source.rows);
  }

  @Property(tries = 5_000)
  void aTableWithoutAKeyHasTheSameRowsAfterEachRound(
      @ForAll @Size(max = 5) List<@IntRange(max = 2) Integer> there,
      @ForAll @Size(max = 40) List<@IntRange(min = 0, max = 100_000) Integer> steps) {
    List<Row> source = new ArrayList<>();
    there.forEach(value -> source.add(row("k", "" + value, "wide")));
    Map<Row, Long> target = bag(source);
    RoundCutter cutter = new RoundCutter(Tunings.batch());
    for (int step : steps) {
      if (step % 7 == 0) {
        applyMultiset(cutter.finish(), target);
        assertThat(target).isEqualTo(bag(source));
      }
      applyMultiset(cutter.add(changeKeyless(source, step / 7)), target);
    }
    applyMultiset(cutter.finish(), target);
    assertThat(target).isEqualTo(bag(source));
  }

  /** Values of the source's rows are told by their key, a small value and a wide one. */
  private static final class Source {
    private final Map<String, Row> rows = new TreeMap<>();
    private int wide;

    Source(List<Integer> there) {
      there.forEach(key -> rows.put("" + key, row("" + key, "0", nextWide())));
    }

    /** The change that a number stands for in this state; null where it stands for none. */
    ChangeEvent change(int number) {
      int kind = number % 8;
      String key = "" + number / 8 % KEYS;
      String other = "" + number / (8 * KEYS) % (2 * KEYS);
      String small = "" + number / (16 * KEYS * KEYS) % 3;
      Row before = rows.get(key);
      if (kind == 7 && number % 5 == 0) {
        rows.clear();
        return new Truncate(List.of(new Emptied(KEYED.table(), null)));
      }
      if (before == null) {
        Row row = row(key, small, nextWide());
        rows.put(key, row);
        return new RowChange(KEYED, null, row);
      }
      if (kind <= 1) {
        rows.remove(key);
        return new RowChange(KEYED, key(key), null);
      }
      String newKey = kind <= 3 && !rows.containsKey(other) ? other : key;
      boolean wideUnchanged = number % 3 != 0;
      Row after = row(newKey, small, wideUnchanged ? before.text(2) : nextWide());
      rows.remove(key);
      rows.put(newKey, after);
      Row logged = wideUnchanged ? withoutWide(after) : after;
      return new RowChange(KEYED, key(key), logged);
    }

    private String nextWide() {
      wide++;
      return "wide " + wide;
    }
  }

  private static void applyKeyed(Round round, Map<String, Row> target) {
    if (round == null) {
      return;
    }
    assertThat(round.truncate()).hasSizeLessThanOrEqualTo(1);
    if (!round.truncate().isEmpty()) {
      target.clear();
    }
    Map<Row, Row> old = new HashMap<>();
    Set<String> newKeys = new HashSet<>();
    List<NetChange> changes = new ArrayList<>();
    for (TableChanges table : ((Round.Net) round).tables()) {
      assertThat(changes).as("the table appears once").isEmpty();
      changes.addAll(((TableChanges.Keyed) table).changes());
      assertThat(table.count()).isEqualTo(changes.size());
    }
    for (NetChange change : changes) {
      if (change.match() != null) {
        Row matched = target.remove(change.match().text(0));
        assertThat(matched).as("the row matched by " + change).isNotNull();
        assertThat(old.put(change.match(), matched)).as("old keys are distinct").isNull();
      }
    }
    for (NetChange change : changes) {
      if (change.row() != null) {
        assertThat(newKeys.add(change.row().text(0))).as("new keys are distinct").isTrue();
        Row row = change.row();
        if (change.match() != null) {
          row = row.filledFrom(old.get(change.match()));
        }
        assertThat(row.hasUnchanged()).as("every value is known").isFalse();
        assertThat(target.put(row.text(0), row)).as("the new key is free").isNull();
      }
    }
  }

  private static ChangeEvent changeKeyless(List<Row> source, int number) {
    int kind = number % 4;
    String value = "" + number / 4 % 3;
    if (kind == 0 || source.isEmpty()) {
      Row row = row("k", value, "wide");
      source.add(row);
      return new RowChange(KEYLESS, null, row);
    }
    Row before = source.remove(number % source.size());
    if (kind == 1) {
      return new RowChange(KEYLESS, before, null);
    }
    Row after = row("k", value, "wide");
    source.add(after);
    return new RowChange(KEYLESS, before, kind == 2 ? withoutWide(after) : after);
  }

  private static void applyMultiset(Round round, Map<Row, Long> target) {
    if (round == null) {
      return;
    }
    for (TableChanges table : ((Round.Net) round).tables()) {
      TableChanges.Multiset multiset = (TableChanges.Multiset) table;
      Map<Row, Long> summed = new HashMap<>(target);
      applyCopies(multiset, target);
      applyCopies(multiset.summed(), summed);
      assertThat(summed).isEqualTo(target);
    }
  }

  private static void applyCopies(TableChanges.Multiset multiset, Map<Row, Long> target) {
    assertThat(multiset.takeAway()).extracting(TableChanges.Copies::row).doesNotHaveDuplicates();
    multiset.takeAway().forEach(away -> takeAway(target, away.row(), away.copies()));
    multiset.updates().forEach(update -> takeAway(target, update.match(), 1));
    multiset.updates().forEach(update -> target.merge(update.row(), 1L, Long::sum));
    multiset.putIn().forEach(in -> target.merge(in.row(), in.copies(), Long::sum));
  }

  private static void takeAway(Map<Row, Long> target, Row row, long copies) {
    assertThat(target.getOrDefault(row, 0L)).isGreaterThanOrEqualTo(copies);
    target.merge(row, -copies, Long::sum);
    target.remove(row, 0L);
  }

  private static Map<Row, Long> bag(List<Row> rows) {
    Map<Row, Long> counts = new HashMap<>();
    rows.forEach(row -> counts.merge(row, 1L, Long::sum));
    return counts;
  }

  private static Row row(String key, String small, String wide) {
    return RowBuilder.rowOf(key, small, wide);
  }

  private static Row key(String key) {
    return RowBuilder.rowOf(key);
  }

  private static Row withoutWide(Row row) {
    RowBuilder builder = new RowBuilder(16);
    ValueCursor values = row.cursor();
    values.next();
    builder.add(values);
    values.next();
    return builder.add(values).addUnchanged().build();
  }

  private static RowSchema schema(boolean keyed) {
    return new RowSchema(
        new TableId("shop", keyed ? "items" : "notes"),
        List.of(
            new Column("id", "integer", false, keyed),
            new Column("small", "text", true, false),
            new Column("wide", "text", true, false)));
  }
}
