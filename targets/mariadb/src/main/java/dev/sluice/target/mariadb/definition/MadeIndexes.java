package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import dev.sluice.target.mariadb.catalog.Shown;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The indexes of a table that Sluice creates, without that of its key. Immutable. */
record MadeIndexes(TableOutline table, MadeColumns columns) {
  /** How many characters of a large column an index has. */
  private static final int PREFIX = 255;

  private static final int PREFIX_BYTES = 4 * PREFIX;
  private static final int MOST_BYTES = 3072;
  private static final int INDEX_PLACE = 1;

  /** The SQL dialect of the statements. */
  SqlDialect dialect() {
    return new SqlDialect(columns.server().type());
  }

  /** The indexes as they are written in CREATE TABLE. */
  List<String> definitions() {
    return table.indexes().stream()
        .filter(index -> unable(index).isEmpty())
        .map(this::definition)
        .toList();
  }

  List<CompletionStep> steps() {
    List<CompletionStep> steps = new ArrayList<>();
    for (OutlinedIndex index : table.indexes()) {
      Optional<String> unable = unable(index);
      steps.add(
          unable.isPresent()
              ? CompletionStep.leftOut(
                  table.table(), Stage.TABLE, Kind.INDEX, name(index), unable.get())
              : step(index));
    }
    return steps;
  }

  boolean canIndex(List<String> names) {
    return names.stream()
        .allMatch(name -> columns.type(name).isPresent() && !columns.isLarge(name));
  }

  /** Creates an index of these columns that is not unique and that the source does not have. */
  CompletionStep stepOf(String name, List<String> ofColumns) {
    return step(
        new OutlinedIndex(
            name,
            false,
            ofColumns.stream().map(column -> new IndexedColumn(column, false)).toList(),
            Optional.empty()));
  }

  private CompletionStep step(OutlinedIndex index) {
    return CompletionStep.of(
        table.table(),
        Stage.TABLE,
        INDEX_PLACE,
        Kind.INDEX,
        name(index),
        List.of(
            new DefinitionStatement(
                dialect(),
                "index " + name(index),
                isThere(index),
                "ALTER TABLE %s ADD %s".formatted(table.table().quoted(), definition(index)))));
  }

  private String name(OutlinedIndex index) {
    return table.table() + "." + index.name();
  }

  /** If an index of that name has other columns, the statement fails. */
  private String isThere(OutlinedIndex index) {
    return "SELECT 1 FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s AND INDEX_NAME = %s GROUP BY INDEX_NAME HAVING MAX(NON_UNIQUE) = %d AND GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX) = %s"
        .formatted(
            Shown.text(table.table().schema()),
            Shown.text(table.table().name()),
            Shown.text(index.name()),
            index.unique() ? 0 : 1,
            Shown.text(String.join(",", MadeColumns.names(index.columns()))));
  }

  private String definition(OutlinedIndex index) {
    return "%sKEY %s (%s)"
        .formatted(
            index.unique() ? "UNIQUE " : "",
            TableId.quote(index.name()),
            index.columns().stream().map(this::part).collect(Collectors.joining(", ")));
  }

  private String part(IndexedColumn column) {
    return TableId.quote(column.name())
        + (columns.isLarge(column.name()) ? "(" + PREFIX + ")" : "")
        + (column.descending() ? " DESC" : "");
  }

  /** Why an index is not created; empty if it is. */
  private Optional<String> unable(OutlinedIndex index) {
    List<String> names = MadeColumns.names(index.columns());
    if (index.special().isPresent()) {
      return Optional.of(
          "%s, which Sluice does not create here; create one by hand if it is needed"
              .formatted(index.special().get()));
    }
    if (names.stream().anyMatch(name -> columns.type(name).isEmpty())) {
      return Optional.of("transformation rules remove columns of it");
    }
    if (index.unique() && names.stream().anyMatch(columns::isLarge)) {
      return Optional.of(
          "it is unique, and an index cannot contain values of any length completely; give its columns a length on the source, or create one by hand");
    }
    int bytes =
        names.stream()
            .mapToInt(name -> columns.isLarge(name) ? PREFIX_BYTES : columns.bytesInIndex(name))
            .sum();
    return bytes > MOST_BYTES
        ? Optional.of(
            "its columns have up to %d bytes, and an index has at most %d; create a smaller one by hand"
                .formatted(bytes, MOST_BYTES))
        : Optional.empty();
  }

  /**
   * Existing indexes that would reject rows of the source, or that have the name of an index to be
   * created.
   */
  List<String> inTheWay(List<FoundIndex> found) {
    return found.stream()
        .filter(index -> index.unique() && !isUnique(index.columns()) || isAnother(index))
        .map(FoundIndex::name)
        .toList();
  }

  private boolean isUnique(List<String> wanted) {
    return isSame(table.key(), wanted)
        || table.indexes().stream()
            .filter(index -> index.unique() && index.special().isEmpty())
            .anyMatch(index -> isSame(MadeColumns.names(index.columns()), wanted));
  }

  private static boolean isSame(List<String> names, List<String> others) {
    return names.size() == others.size() && names.containsAll(others);
  }

  /** Whether it is not one of these indexes. The server ignores the case of their names. */
  private boolean isAnother(FoundIndex found) {
    return table.indexes().stream()
        .filter(index -> index.name().equalsIgnoreCase(found.name()) && unable(index).isEmpty())
        .anyMatch(
            index ->
                index.unique() != found.unique()
                    || !MadeColumns.names(index.columns()).equals(found.columns()));
  }

  /** Whether the key, or an index that is created, begins with these columns in this order. */
  boolean beginWith(List<String> wanted) {
    return begins(table.key(), wanted)
        || table.indexes().stream()
            .filter(index -> unable(index).isEmpty())
            .filter(index -> index.columns().stream().noneMatch(IndexedColumn::descending))
            .anyMatch(index -> begins(MadeColumns.names(index.columns()), wanted));
  }

  private static boolean begins(List<String> names, List<String> wanted) {
    return names.size() >= wanted.size() && names.subList(0, wanted.size()).equals(wanted);
  }

  /** The columns of the key, or of a unique index that is created, if they are the wanted ones. */
  Optional<List<String>> uniqueOn(List<String> wanted) {
    List<List<String>> unique = new ArrayList<>();
    unique.add(table.key());
    table.indexes().stream()
        .filter(index -> index.unique() && unable(index).isEmpty())
        .forEach(index -> unique.add(MadeColumns.names(index.columns())));
    return unique.stream().filter(names -> isSame(names, wanted)).findFirst();
  }
}
