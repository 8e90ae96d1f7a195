package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.AppliedKeys;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.PartSize;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plans what a session compares: rows that are listed as different, rows that were touched, and the
 * next part of each table that is due. Used for one session, by its thread.
 */
final class SessionPlans {
  private final TouchedKeys touched;
  private final ColumnNames columns;
  private int keysLeft;
  private final List<ComparisonPlan> plans = new ArrayList<>();

  /** The recorded keys of the rows that are looked up, by table and key. */
  private final Map<TableId, Map<RowKey, Row>> rows = new HashMap<>();

  /**
   * @param columns names of columns on the target, by which the sink knows them
   * @param most the maximum number of keys that the session looks up
   */
  SessionPlans(TouchedKeys touched, ColumnNames columns, int most) {
    this.touched = touched;
    this.columns = columns;
    this.keysLeft = most;
  }

  /**
   * Adds a table.
   *
   * @param parts the size of the parts in which it is read; empty: none is to be read
   * @param again whether the rows that are listed as different are looked up
   * @param awaited rows that a pass waits for. They are looked up also if their last change is not
   *     applied yet: a row that is written all the time always has one. Neither snapshot shows it
   * @param applied the position up to which the target has its changes
   */
  void add(
      TableState table,
      Optional<PartSize> parts,
      boolean again,
      TouchedRows awaited,
      Position applied) {
    List<RowKey> keys = table.key().isEmpty() ? List.of() : keys(table, again, awaited, applied);
    if (parts.isPresent()) {
      plans.add(
          new ComparisonPlan(table.table(), table.key(), List.of(next(table)), keys)
              .withParts(parts.get()));
    } else if (!keys.isEmpty()) {
      plans.add(ComparisonPlan.touched(table.table(), table.key(), keys));
    }
  }

  private List<RowKey> keys(
      TableState table, boolean again, TouchedRows awaited, Position applied) {
    Set<RowKey> keys = new LinkedHashSet<>();
    for (RowFailure failure : again ? table.failures() : List.<RowFailure>of()) {
      if (keys.size() < keysLeft) {
        keys.add(RowText.key(table.key(), failure.key()));
      }
    }
    addTouched(table, awaited, keys);
    addTouched(
        table, touched.uncompared(table.table(), keysLeft - keys.size(), applied).rows(), keys);
    keysLeft -= keys.size();
    return List.copyOf(keys);
  }

  /** Adds rows, as long as the session may look up more. */
  private void addTouched(TableState table, TouchedRows those, Set<RowKey> keys) {
    List<String> names =
        table.key().stream().map(column -> columns.orSame(table.table(), column)).toList();
    if (names.size() != those.columns().size() || !those.columns().containsAll(names)) {
      return;
    }
    List<RowKey> changed = AppliedKeys.inOrder(names, those);
    Map<RowKey, Row> byKey = rows.computeIfAbsent(table.table(), any -> new HashMap<>());
    for (int i = 0; i < changed.size() && keys.size() < keysLeft; i++) {
      byKey.put(changed.get(i), those.keys().get(i));
      keys.add(changed.get(i));
    }
  }

  private static KeyRange next(TableState table) {
    return KeyRange.from(
        table.key().isEmpty()
            ? Optional.empty()
            : table.coverage().running().map(pass -> RowText.mark(pass.next())));
  }

  List<ComparisonPlan> all() {
    return List.copyOf(plans);
  }

  /** The recorded keys of rows that were looked up. */
  List<Row> rowsOf(TableId table, List<RowKey> keys) {
    Map<RowKey, Row> byKey = rows.getOrDefault(table, Map.of());
    return keys.stream().map(byKey::get).filter(row -> row != null).toList();
  }
}
