package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Whether a change of a definition may come before its window, where DDL commits. The window has
 * one transaction. Rows that the transaction changed before need the earlier definition. And a name
 * that it used twice does not show, when the window comes again, which of the changes were made.
 * Used for one attempt to apply a window.
 */
public final class ApartOrder {
  private static final String WHOLE = "";

  private final UnaryOperator<TableId> targetOf;
  private final Set<TableId> rows = new HashSet<>();
  private final Set<Name> names = new HashSet<>();

  /** Of the run that is not kept yet. */
  private final Set<TableId> newRows = new HashSet<>();

  private final Set<Name> newNames = new HashSet<>();

  /**
   * @param targetOf maps a source table to its target table
   */
  public ApartOrder(UnaryOperator<TableId> targetOf) {
    this.targetOf = targetOf;
  }

  /** What was noted since the last call is kept. */
  public void kept() {
    rows.addAll(newRows);
    names.addAll(newNames);
    rolledBack();
  }

  /** What was noted since then was rolled back. */
  public void rolledBack() {
    newRows.clear();
    newNames.clear();
  }

  /** Rows of a source table are changed. */
  public void rowsOf(TableId source) {
    newRows.add(targetOf.apply(source));
  }

  /**
   * A definition changes.
   *
   * @return why it cannot be changed before the window; empty if it can
   */
  public Optional<String> changes(DefinitionChange change) {
    Set<Name> used = namesOf(change);
    boolean hasRows = !change.begins() && used.stream().anyMatch(name -> hasRowsOf(name.table()));
    Optional<Name> twice = used.stream().filter(this::isUsed).findFirst();
    newNames.addAll(used);
    if (hasRows) {
      return Optional.of("its transaction has changed rows of the table before");
    }
    return twice.map(name -> "its transaction has changed %s before".formatted(name.forPeople()));
  }

  private boolean hasRowsOf(TableId table) {
    return rows.contains(table) || newRows.contains(table);
  }

  /** A table that was made, renamed or dropped counts with all of its columns. */
  private boolean isUsed(Name name) {
    return Stream.concat(names.stream(), newNames.stream()).anyMatch(name::meets);
  }

  private Set<Name> namesOf(DefinitionChange change) {
    Set<Name> used = new HashSet<>();
    TableDefinition before = change.before();
    TableDefinition after = change.after();
    if (before == null || after == null) {
      used.add(new Name(targetOf.apply(change.table()), WHOLE));
      return used;
    }
    TableId now = targetOf.apply(after.table());
    if (!before.table().equals(after.table())) {
      used.add(new Name(targetOf.apply(before.table()), WHOLE));
      used.add(new Name(now, WHOLE));
    }
    for (ColumnDefinition column : after.columns()) {
      Optional<ColumnDefinition> earlier = before.column(column.number());
      // What else differs, such as a default, is not followed.
      if (earlier.filter(column::isLike).isEmpty()) {
        used.add(new Name(now, column.name()));
        earlier.ifPresent(old -> used.add(new Name(now, old.name())));
      }
    }
    before.columns().stream()
        .filter(column -> after.column(column.number()).isEmpty())
        .forEach(column -> used.add(new Name(now, column.name())));
    return used;
  }

  /**
   * @param column {@link #WHOLE} for the table itself
   */
  private record Name(TableId table, String column) {
    boolean meets(Name other) {
      return table.equals(other.table)
          && (column.equals(other.column) || column.equals(WHOLE) || other.column.equals(WHOLE));
    }

    String forPeople() {
      return column.equals(WHOLE) ? "table " + table : "column %s of it".formatted(column);
    }
  }
}
