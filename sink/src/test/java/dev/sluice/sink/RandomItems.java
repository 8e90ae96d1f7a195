package dev.sluice.sink;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A source table in memory that random transactions change: rows are inserted, deleted and inserted
 * again, change their key, swap unique codes, and keep wide values that the log does not repeat. An
 * audit table without a key gets a row for each change.
 */
final class RandomItems {
  static final RowSchema ITEMS =
      new RowSchema(
          new TableId("shop", "items"),
          List.of(
              new Column("id", "integer", false, true),
              new Column("code", "integer", false, false),
              new Column("wide", "text", true, false)));

  static final RowSchema AUDIT =
      new RowSchema(new TableId("shop", "audit"), List.of(new Column("what", "text", true, false)));

  private record Item(int code, String wide) {}

  private final Random random;
  private final Map<Integer, Item> items = new TreeMap<>();
  private final List<String> audit = new ArrayList<>();
  private int nextCode;

  RandomItems(long seed) {
    random = new Random(seed);
  }

  /** One transaction's changes; the table is as after it. */
  ChangeEvent[] transaction(int steps, int ids) {
    List<ChangeEvent> changes = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      step(random.nextInt(ids), random.nextInt(ids), changes);
    }
    if (random.nextInt(100) == 0) {
      items.clear();
      changes.add(new Truncate(List.of(new Emptied(ITEMS.table(), null))));
    }
    return changes.toArray(new ChangeEvent[0]);
  }

  /** Rows as {@code id|code|wide}, by id. */
  List<String> rows() {
    return items.entrySet().stream()
        .map(item -> item.getKey() + "|" + item.getValue().code + "|" + item.getValue().wide)
        .toList();
  }

  /** Audit rows in order of their text. */
  List<String> auditRows() {
    return audit.stream().sorted().toList();
  }

  private void step(int id, int other, List<ChangeEvent> changes) {
    Item item = items.get(id);
    if (item == null) {
      write(id, id, null, new Item(nextCode++, "wide " + random.nextInt(9)), changes);
    } else if (random.nextInt(5) == 0) {
      items.remove(id);
      changes.add(new RowChange(ITEMS, RowBuilder.rowOf("" + id), null));
    } else if (items.containsKey(other) && id != other) {
      Item second = items.get(other);
      write(id, id, item, new Item(nextCode++, item.wide), changes);
      write(other, other, second, new Item(item.code, second.wide), changes);
      write(id, id, items.get(id), new Item(second.code, item.wide), changes);
    } else if (id != other) {
      items.remove(id);
      write(id, other, item, item, changes);
    } else {
      write(id, id, item, new Item(item.code, "wide " + random.nextInt(9)), changes);
    }
    String line = "step " + random.nextInt(3);
    if (random.nextInt(4) == 0 && audit.remove(line)) {
      changes.add(new RowChange(AUDIT, RowBuilder.rowOf(line), null));
    } else {
      audit.add(line);
      changes.add(new RowChange(AUDIT, null, RowBuilder.rowOf(line)));
    }
  }

  private void write(int id, int newId, Item before, Item after, List<ChangeEvent> changes) {
    items.put(newId, after);
    RowBuilder row = new RowBuilder(32).add("" + newId).add("" + after.code);
    Row logged =
        before != null && before.wide.equals(after.wide)
            ? row.addUnchanged().build()
            : row.add(after.wide).build();
    changes.add(new RowChange(ITEMS, before == null ? null : RowBuilder.rowOf("" + id), logged));
  }
}
