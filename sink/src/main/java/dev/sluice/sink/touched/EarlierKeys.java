package dev.sluice.sink.touched;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Adds the keys of changes that were applied before a record began, as they are read again from the
 * journal: each may not be compared since. Their keys have the same form as those that are recorded
 * while changes are applied. Used by one thread.
 */
public final class EarlierKeys {
  private final Function<TableId, TableTouches> tables;
  private final Runnable bound;
  private final Map<TableId, Position> voided = new HashMap<>();
  private final Set<TableId> lost = new HashSet<>();

  private RowSchema schema;
  private List<String> columns = List.of();

  EarlierKeys(Function<TableId, TableTouches> tables, Runnable bound) {
    this.tables = tables;
    this.bound = bound;
  }

  /**
   * Adds the rows of a change.
   *
   * @param at the position of its transaction
   */
  public void add(Position at, ChangeEvent event) {
    if (event instanceof RowChange change) {
      add(at, change);
    } else if (event instanceof Truncate truncate) {
      truncate.tables().forEach(emptied -> voided(emptied.table(), at));
    } else if (event instanceof Definition definition) {
      definition.changes().changes().stream()
          .flatMap(altered -> altered.concerned().stream())
          .forEach(altered -> voided(altered, at));
    }
  }

  private void add(Position at, RowChange change) {
    TableId table = change.schema().table();
    if (!change.schema().hasKey()) {
      voided(table, at);
      return;
    }
    if (change.schema() != schema) {
      schema = change.schema();
      columns = ChangedKeys.columns(schema);
    }
    if (!lost.contains(table)) {
      ChangedKeys.of(change, key -> add(table, key, at));
      bound.run();
    }
  }

  private void add(TableId table, Row key, Position at) {
    if (!tables.apply(table).addEarlier(columns, key, at)) {
      lost.add(table);
    }
  }

  private void voided(TableId table, Position at) {
    voided.merge(table, at, Position::max);
  }

  /**
   * Tables that were truncated or altered, or whose rows have no key, with the last position of it:
   * what was compared before does not count.
   */
  public Map<TableId, Position> voided() {
    return Map.copyOf(voided);
  }

  /** Tables of which not all keys were added. */
  public Set<TableId> lost() {
    return Set.copyOf(lost);
  }
}
