package dev.sluice.sink.window.compaction;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compacts the changes of one table with a key in one round, change by change. Owned by the thread
 * that compacts the round.
 */
final class NetRows implements NetTable {
  /*
   * Seen from the target's state at the round's beginning, a key is in one of these states:
   *
   *                 current          gone         target row   source row
   *   untouched     -                -            as it is     the same
   *   new           (none, row)      -            none         row
   *   updated       (key, row)       -            there        row, same key
   *   deleted       -                DELETED      there        none
   *   moved         -                MOVED        there        under another key
   *   arrived       (other, row)     -            none         row, matched by another key
   *
   * and where the key's own target row is deleted or moved while another row has come under it:
   *
   *   replaced      (none or other, row)   DELETED or MOVED
   *
   * A new row under a deleted key is not an update of the deleted row: values of the target's own
   * columns end with the row they belong to, wherever rounds are cut. Deleted and moved rows are
   * stored by the target's key, present rows by the source's key, so both stay distinct.
   */
  private enum Gone {
    DELETED,
    MOVED
  }

  private static final int CURRENT_OVERHEAD = 128;
  private static final int GONE_OVERHEAD = 64;

  private final RowSchema schema;

  /** The changes that leave a row, by the key that the row has now. */
  private final Map<Row, NetChange> current = new LinkedHashMap<>();

  /** The target rows that are no longer under their own key, by that key. */
  private final Map<Row, Gone> gone = new HashMap<>();

  private int deleted;
  private long retained;

  NetRows(RowSchema schema) {
    this.schema = schema;
  }

  @Override
  public RowSchema schema() {
    return schema;
  }

  @Override
  public void add(RowChange change) {
    if (change.match() == null) {
      insert(change.row());
    } else if (change.row() == null) {
      delete(change.match());
    } else {
      update(change.match(), change.row());
    }
  }

  @Override
  public long netChanges() {
    return current.size() + deleted;
  }

  @Override
  public long retainedBytes() {
    return retained;
  }

  @Override
  public TableChanges build() {
    List<NetChange> changes = new ArrayList<>(current.size() + deleted);
    gone.forEach(
        (key, state) -> {
          if (state == Gone.DELETED) {
            changes.add(new NetChange(key, null));
          }
        });
    // addAll would copy them to an array first.
    for (NetChange change : current.values()) {
      changes.add(change);
    }
    return new TableChanges.Keyed(schema, changes);
  }

  private void insert(Row row) {
    Row key = schema.matchOf(row);
    if (row.hasUnchanged()) {
      throw new SluiceException.Fatal(
          "table %s: the row with key %s is inserted without all its values"
              .formatted(schema.table(), key),
          null);
    }
    putUnderFreeKey(key, null, row);
  }

  private void delete(Row key) {
    NetChange before = removeCurrent(key);
    if (before == null) {
      if (gone.containsKey(key)) {
        throw DoesNotFollow.INSTANCE;
      }
      markGone(key, Gone.DELETED);
    } else if (before.match() != null) {
      markGone(before.match(), Gone.DELETED);
    }
  }

  private void update(Row key, Row row) {
    NetChange before = current.get(key);
    Row match;
    Row filled;
    if (before == null) {
      if (gone.containsKey(key)) {
        throw DoesNotFollow.INSTANCE;
      }
      match = key;
      filled = row;
    } else {
      match = before.match();
      filled = row.filledFrom(before.row());
    }
    if (schema.isMatchOf(key, filled)) {
      putCurrent(key, before, new NetChange(match, filled));
      return;
    }
    Row newKey = schema.matchOf(filled).filledFrom(key);
    if (newKey.equals(key)) {
      putCurrent(key, before, new NetChange(match, filled));
      return;
    }
    if (current.containsKey(newKey)) {
      // Checked before anything is changed.
      throw DoesNotFollow.INSTANCE;
    }
    if (before != null) {
      removeCurrent(key);
    }
    if (match != null) {
      markGone(match, Gone.MOVED);
    }
    putUnderFreeKey(newKey, match, filled);
  }

  /** Stores a row under a key that must be free. */
  private void putUnderFreeKey(Row key, Row match, Row row) {
    NetChange now = new NetChange(match, row);
    if (current.putIfAbsent(key, now) != null) {
      throw DoesNotFollow.INSTANCE;
    }
    retained += bytes(key, now);
    if (key.equals(match)) {
      unmarkGone(key);
    }
  }

  private void putCurrent(Row key, NetChange before, NetChange now) {
    retained += bytes(key, now) - (before == null ? 0 : bytes(key, before));
    current.put(key, now);
  }

  private NetChange removeCurrent(Row key) {
    NetChange removed = current.remove(key);
    if (removed != null) {
      retained -= bytes(key, removed);
    }
    return removed;
  }

  private void markGone(Row key, Gone state) {
    Gone before = gone.put(key, state);
    if (before == null) {
      retained += GONE_OVERHEAD + key.retainedBytes();
    }
    deleted += (state == Gone.DELETED ? 1 : 0) - (before == Gone.DELETED ? 1 : 0);
  }

  private void unmarkGone(Row key) {
    Gone before = gone.remove(key);
    if (before != null) {
      retained -= GONE_OVERHEAD + key.retainedBytes();
      deleted -= before == Gone.DELETED ? 1 : 0;
    }
  }

  /** Heap bytes of an entry. If a row is matched by its own key, that key is stored once. */
  private static long bytes(Row key, NetChange change) {
    long bytes = CURRENT_OVERHEAD + change.row().retainedBytes();
    if (change.match() != null) {
      bytes += change.match().retainedBytes();
    }
    return key.equals(change.match()) ? bytes : bytes + key.retainedBytes();
  }
}
