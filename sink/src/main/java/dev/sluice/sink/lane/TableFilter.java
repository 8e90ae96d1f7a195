package dev.sluice.sink.lane;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.DefinitionChange;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Selects the changes that a lane applies: by source table, and from which position on. Its answers
 * never change, so a transaction that is read again has the same changes. Immutable, threadsafe.
 *
 * <p>{@link #takes} concerns a table's changes at any position; {@link #at} is the filter for one
 * transaction.
 */
public final class TableFilter {
  /** Takes everything. */
  public static final TableFilter ALL = new TableFilter(table -> true, true, TableStarts.NONE);

  private final Predicate<TableId> tables;
  private final boolean all;
  private final TableStarts starts;

  /** The filter of transactions up to a position at which some tables start, by that position. */
  private final NavigableMap<Position, TableFilter> before = new TreeMap<>();

  /** The filter of later transactions. */
  private final TableFilter after;

  /** Cache: the filter is called for each change, and evaluating mapping rules is slow. */
  private final Map<TableId, Boolean> known = new ConcurrentHashMap<>();

  private TableFilter(Predicate<TableId> tables) {
    this(tables, false, TableStarts.NONE);
  }

  private TableFilter(Predicate<TableId> tables, boolean all, TableStarts starts) {
    this.tables = tables;
    this.all = all;
    this.starts = starts;
    if (starts.equals(TableStarts.NONE)) {
      this.after = this;
    } else {
      this.after = all ? ALL : new TableFilter(tables);
      for (Position start : starts.positions()) {
        before.put(
            start, new TableFilter(table -> tables.test(table) && starts.isBefore(table, start)));
      }
    }
  }

  /** Takes these source tables. */
  public static TableFilter only(Set<TableId> sources) {
    return new TableFilter(Set.copyOf(sources)::contains);
  }

  /**
   * Takes the source tables that go into these target tables.
   *
   * @param targetOf the target table of a source table
   */
  public static TableFilter into(Set<TableId> targets, UnaryOperator<TableId> targetOf) {
    Set<TableId> wanted = Set.copyOf(targets);
    return new TableFilter(source -> wanted.contains(targetOf.apply(source)));
  }

  /** Takes the tables that the other does not take. */
  public static TableFilter not(TableFilter other) {
    Objects.requireNonNull(other, "other");
    return new TableFilter(source -> !other.takes(source));
  }

  /** Takes the same tables, but of each only the changes after its start. */
  public TableFilter from(TableStarts others) {
    return new TableFilter(tables, all, others);
  }

  /** Takes all tables, with the same starts. */
  public TableFilter ofAllTables() {
    return all ? this : ALL.from(starts);
  }

  /** The filter for a transaction at the position. */
  public TableFilter at(Position position) {
    Map.Entry<Position, TableFilter> next = before.ceilingEntry(position);
    return next == null ? after : next.getValue();
  }

  /** True if it takes every table, though perhaps not all of its changes. */
  public boolean isAll() {
    return all;
  }

  public boolean takes(TableId source) {
    return all || known.computeIfAbsent(source, tables::test);
  }

  /**
   * The part of an event that is taken: the event itself, a part of it, or null for nothing. Every
   * lane takes messages.
   */
  public ChangeEvent of(ChangeEvent event) {
    if (all) {
      return event;
    }
    if (event instanceof RowChange change) {
      return takes(change.schema().table()) ? event : null;
    }
    if (event instanceof Truncate truncate) {
      List<Emptied> taken =
          truncate.tables().stream().filter(emptied -> takes(emptied.table())).toList();
      return taken.isEmpty() ? null : new Truncate(taken);
    }
    if (event instanceof Definition definition) {
      List<DefinitionChange> taken =
          definition.changes().changes().stream().filter(this::concerns).toList();
      return taken.isEmpty() ? null : new Definition(definition.changes().only(taken));
    }
    return event;
  }

  private boolean concerns(DefinitionChange change) {
    return change.rowsBefore().filter(this::takes).isPresent()
        || change.rowsAfter().filter(this::takes).isPresent();
  }
}
