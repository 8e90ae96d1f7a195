package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.mariadb.type.LoggedColumn;
import dev.sluice.connector.mariadb.type.LoggedTypes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A table's definition as the log describes it. What the log does not distinguish, such as UUID and
 * BINARY, is taken from the known definition, if the two fit. Immutable.
 *
 * @param known the definition by the catalog, or by earlier statements
 */
record LoggedDefinition(TableMap logged, LoggedTypes types, Optional<CatalogTable> known) {

  /** Whether the known definition has the same columns and key, with types that fit the log's. */
  boolean isAsKnown() {
    if (known.isEmpty()) {
      return false;
    }
    Set<String> names = new HashSet<>();
    for (LoggedColumn column : columns()) {
      Optional<CatalogColumn> declared = declared(column.name());
      if (declared.isEmpty()
          || declared.get().nullable() != logged.nullable().contains(column.name())
          || !declared.get().generated() && !types.fits(column, declared.get().type())) {
        return false;
      }
      names.add(column.name());
    }
    return !hasOtherKey() && names.size() == known.get().columns().size();
  }

  /** The names of the columns whose types the log does not show. */
  Set<String> doubtful() {
    return columns().stream()
        .filter(types::isAmbiguous)
        .map(LoggedColumn::name)
        .collect(Collectors.toSet());
  }

  /**
   * Fails if the primary key differs from that of the known definition.
   *
   * @throws SluiceException.Fatal if it is
   */
  void requireSameKey() {
    if (hasOtherKey()) {
      throw new SluiceException.Fatal(
          new Problem(
              "table " + logged.table(),
              "the primary key " + new TreeSet<>(logged.key()) + " in the binary log",
              "the primary key "
                  + new TreeSet<>(keyOf(known.orElseThrow()))
                  + ", by which its rows are found",
              "Load the tables again: sluice stop --drop, and then sluice run"));
    }
  }

  private boolean hasOtherKey() {
    return known
        .filter(table -> table.oldRow() == OldRow.PRIMARY_KEY)
        .filter(table -> !logged.key().equals(keyOf(table)))
        .isPresent();
  }

  private static Set<String> keyOf(CatalogTable table) {
    return table.columns().stream()
        .filter(CatalogColumn::key)
        .map(CatalogColumn::name)
        .collect(Collectors.toSet());
  }

  /**
   * A column whose type is neither in the log nor in the known definition; empty if there is none.
   */
  Optional<String> untold() {
    if (isAsKnown()) {
      return Optional.empty();
    }
    return columns().stream()
        .filter(column -> typeOf(column).isEmpty())
        .map(LoggedColumn::name)
        .findFirst();
  }

  private Optional<String> typeOf(LoggedColumn column) {
    return declared(column.name())
        .map(CatalogColumn::type)
        .filter(found -> types.fits(column, found))
        .or(() -> types.of(column));
  }

  /** The definition from the log, if it shows all types. */
  CatalogTable table() {
    boolean hasKey = !logged.key().isEmpty();
    List<CatalogColumn> columns = new ArrayList<>();
    for (LoggedColumn column : columns()) {
      Optional<CatalogColumn> declared = declared(column.name());
      boolean key =
          hasKey
              ? logged.key().contains(column.name())
              : declared.filter(CatalogColumn::key).isPresent();
      columns.add(
          new CatalogColumn(
              column.name(),
              typeOf(column).orElseThrow(),
              logged.nullable().contains(column.name()),
              key,
              declared.filter(CatalogColumn::generated).isPresent(),
              declared.filter(CatalogColumn::identity).isPresent()));
    }
    return new CatalogTable(
        logged.table(),
        logged.table(),
        CatalogTable.Kind.ORDINARY,
        CatalogTable.Persistence.LOGGED,
        oldRow(),
        columns,
        null,
        0,
        true,
        true,
        false);
  }

  /** The columns of an old row that the log has. */
  private OldRow oldRow() {
    return !logged.key().isEmpty()
        ? OldRow.PRIMARY_KEY
        : known.map(CatalogTable::oldRow).orElse(OldRow.NOTHING);
  }

  /** The columns without those that the server adds for a unique key over long values. */
  private List<LoggedColumn> columns() {
    return logged.columns().stream()
        .filter(
            column ->
                declared(column.name()).isPresent()
                    || !column.name().startsWith(CapturedTable.HASH_COLUMN))
        .toList();
  }

  private Optional<CatalogColumn> declared(String name) {
    return known.stream()
        .flatMap(table -> table.columns().stream())
        .filter(column -> column.name().equals(name))
        .findFirst();
  }
}
