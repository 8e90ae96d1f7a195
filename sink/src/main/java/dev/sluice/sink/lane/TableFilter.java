package dev.sluice.sink.lane;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.ddl.DefinitionChange;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Which source tables a lane takes the changes of. It gives the same answer all its life, so that a
 * transaction that is read again has the same changes. Immutable, threadsafe.
 */
public final class TableFilter {
  /** Takes everything. */
  public static final TableFilter ALL = new TableFilter(table -> true);

  private final Predicate<TableId> tables;

  private TableFilter(Predicate<TableId> tables) {
    this.tables = tables;
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

  /** Takes what the other does not. */
  public static TableFilter not(TableFilter other) {
    Objects.requireNonNull(other, "other");
    return new TableFilter(source -> !other.takes(source));
  }

  public boolean isAll() {
    return this == ALL;
  }

  public boolean takes(TableId source) {
    return tables.test(source);
  }

  /**
   * What is taken of an event: the event, a part of it, or null for nothing. Messages are for every
   * lane.
   */
  public ChangeEvent of(ChangeEvent event) {
    if (isAll()) {
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
    return change.rowsBefore().filter(tables).isPresent()
        || change.rowsAfter().filter(tables).isPresent();
  }
}
