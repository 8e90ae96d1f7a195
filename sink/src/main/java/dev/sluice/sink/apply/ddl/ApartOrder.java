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
 * Decides whether a change of a definition may be made before its window, on targets where DDL
 * commits. If the transaction has changed rows of the table before the DDL, these rows need the
 * earlier definition. If it has changed one name twice, a repeated window could not see which of
 * the changes were made. Owned by one attempt to apply a window.
 */
public final class ApartOrder {
  private static final String WHOLE = "";

  private final UnaryOperator<TableId> targetOf;
  private final Set<TableId> rows = new HashSet<>();
  private final Set<Name> names = new HashSet<>();

  /** Tables whose rows were changed in the part that is not kept yet. */
  private final Set<TableId> newRows = new HashSet<>();

  private final Set<Name> newNames = new HashSet<>();

  /**
   * @param targetOf maps a source table to its target table
   */
  public ApartOrder(UnaryOperator<TableId> targetOf) {
    this.targetOf = targetOf;
  }

  /** Keeps what was noted since the last call. */
  public void kept() {
    rows.addAll(newRows);
    names.addAll(newNames);
    rolledBack();
  }

  /** Forgets what was noted since the last {@link #kept}: it was rolled back. */
  public void rolledBack() {
    newRows.clear();
    newNames.clear();
  }

  /** Notes that rows of a source table are changed. */
  public void rowsOf(TableId source) {
    newRows.add(targetOf.apply(source));
  }

  /**
   * Notes a change of a definition.
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

  /**
   * Whether a name was changed before. A table that was created, renamed or dropped counts with all
   * of its columns.
   */
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
      // Other differences, such as a default, are not replicated here.
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
