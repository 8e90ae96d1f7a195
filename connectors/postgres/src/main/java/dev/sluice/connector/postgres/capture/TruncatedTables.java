package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which rows a TRUNCATE in the log takes from the target, where partitions are in their
 * root. Used by the thread that decodes the log.
 *
 * @param tables of the source
 * @param position of the TRUNCATE
 */
record TruncatedTables(SourceTables tables, Position position) {

  /**
   * The change by one TRUNCATE.
   *
   * @param truncated ordinary tables and leaves
   * @throws SluiceException.Fatal if the source no longer has the bounds of a partition
   */
  Truncate change(List<TableId> truncated) {
    Map<TableId, List<TableId>> leavesByRoot = new LinkedHashMap<>();
    for (TableId table : truncated) {
      TableId root = tables.describe(table, position).map(SourceTable::root).orElse(table);
      leavesByRoot.computeIfAbsent(root, any -> new ArrayList<>()).add(table);
    }
    List<Emptied> emptied = new ArrayList<>();
    leavesByRoot.forEach((root, leaves) -> emptied.add(new Emptied(root, condition(root, leaves))));
    return new Truncate(emptied);
  }

  /**
   * The SQL condition that the rows of the given leaves fulfil; null if they are all of the root.
   */
  private String condition(TableId root, List<TableId> leaves) {
    Set<TableId> all = tables.leavesOf(root, position);
    if (leaves.contains(root) || !all.isEmpty() && Set.copyOf(leaves).containsAll(all)) {
      return null;
    }
    List<String> conditions = new ArrayList<>();
    for (TableId leaf : leaves) {
      String condition =
          tables.describe(leaf, position).map(SourceTable::partitionCondition).orElse(null);
      if (condition == null) {
        throw new SluiceException.Fatal(
            "table %s: its partition %s was truncated, and the source no longer has the partition's bounds; start after this place of the log: sluice resync --delete-extra, and then sluice run, make all tables equal again by difference, and delete the rows that only the target has"
                .formatted(root, leaf),
            null);
      }
      conditions.add(condition);
    }
    return conditions.size() == 1
        ? conditions.get(0)
        : "(" + String.join(") OR (", conditions) + ")";
  }
}
