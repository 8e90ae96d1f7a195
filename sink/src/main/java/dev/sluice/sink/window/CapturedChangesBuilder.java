package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts the changes of a window as they are decoded. Owned by the thread that decodes them. */
public final class CapturedChangesBuilder {
  private static final String FENCE_SUFFIX = ".fence";

  private final Map<TableId, Count> tables = new HashMap<>();
  private final List<String> fences = new ArrayList<>();
  private RowSchema recentSchema;
  private Count recent;
  private long changes;
  private boolean definitions;

  public void count(ChangeEvent event) {
    if (event instanceof RowChange change) {
      changes++;
      count(change);
    } else if (event instanceof Truncate truncate) {
      for (Emptied emptied : truncate.tables()) {
        tables.computeIfAbsent(emptied.table(), table -> new Count()).ddls++;
      }
    } else if (event instanceof Definition definition) {
      definitions = true;
      for (DefinitionChange change : definition.changes().changes()) {
        tables.computeIfAbsent(change.table(), table -> new Count()).ddls++;
      }
    } else if (event instanceof Message message && message.prefix().endsWith(FENCE_SUFFIX)) {
      fences.add(new String(message.content(), StandardCharsets.UTF_8));
    }
  }

  long changes() {
    return changes;
  }

  /** True if the window must end with this transaction: it has a fence or DDL. */
  boolean hasBarrier() {
    return definitions || !fences.isEmpty();
  }

  /** The tables that had changes or were truncated. */
  Set<TableId> tables() {
    return tables.keySet();
  }

  public CapturedChanges build() {
    Map<TableId, TableCounters> counters = new HashMap<>();
    tables.forEach(
        (table, count) ->
            counters.put(
                table, new TableCounters(count.inserts, count.updates, count.deletes, count.ddls)));
    return new CapturedChanges(changes, counters, fences);
  }

  private void count(RowChange change) {
    if (change.schema() != recentSchema) {
      recentSchema = change.schema();
      recent = tables.computeIfAbsent(recentSchema.table(), table -> new Count());
    }
    if (change.match() == null) {
      recent.inserts++;
    } else if (change.row() == null) {
      recent.deletes++;
    } else {
      recent.updates++;
    }
  }

  private static final class Count {
    private long inserts;
    private long updates;
    private long deletes;
    private long ddls;
  }
}
