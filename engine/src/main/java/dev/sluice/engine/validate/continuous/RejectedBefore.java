package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of tables that the target had rejected before a resync of these tables began. Once a
 * table is proven equal, the target lacks none of them. Owned by the thread that waits for the
 * resync; single use.
 */
final class RejectedBefore {
  private static final Logger LOG = LoggerFactory.getLogger(RejectedBefore.class);

  private final TaskContext context;
  private final RejectedChanges rejected;
  private final Map<TableId, Long> newest = new TreeMap<>();

  private RejectedBefore(TaskContext context) {
    this.context = context;
    this.rejected = new RejectedChanges(context.controlSchema(), context.task());
  }

  /** Read before the pass is requested: the pass reads each row after all these changes. */
  static RejectedBefore of(TaskContext context, Collection<TableId> tables) {
    RejectedBefore before = new RejectedBefore(context);
    tables.forEach(
        table -> before.newest.put(table, before.rejected.newest(context.target(), table)));
    return before;
  }

  /**
   * Deletes these changes for tables that are proven equal. Changes that were rejected later stay.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task
   */
  void forget(Checkpoint claimed, Collection<TableId> proven) {
    List<TableId> affected =
        newest.keySet().stream()
            .filter(table -> newest.get(table) > 0 && proven.contains(table))
            .toList();
    if (affected.isEmpty()) {
      return;
    }
    List<String> done = new ArrayList<>();
    context
        .checkpoints()
        .change(
            claimed,
            "delete the rejected changes of tables that are equal",
            connection -> {
              done.clear();
              for (TableId table : affected) {
                long deleted = rejected.forgetProven(connection, table, newest.get(table));
                done.add(table + ": " + Counted.of(deleted, "change"));
              }
            });
    done.forEach(
        line -> LOG.info("the target lacks none of the rejected changes any more: {}", line));
  }
}
