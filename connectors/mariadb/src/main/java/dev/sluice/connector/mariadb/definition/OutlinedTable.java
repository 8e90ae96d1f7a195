package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.catalog.MariadbIndex;
import dev.sluice.connector.mariadb.catalog.MariadbIndex.Part;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.PostgresType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Describes a table without SQL, for a target with its own types and statements. Columns have the
 * PostgreSQL types of their values in the journal. Immutable.
 *
 * @param targetOf the target's name of a table
 * @param values for dates that no calendar has
 */
record OutlinedTable(
    MariadbTable table,
    UnaryOperator<TableId> targetOf,
    SequenceDefaults sequences,
    ValuePolicy values) {

  /**
   * @param foreignKeys those of the table
   * @param others its other objects, apart from those of its columns
   */
  TableOutline with(List<MariadbForeignKey> foreignKeys, List<OtherObject> others) {
    Optional<MariadbIndex> key = table.key();
    List<OtherObject> all = new ArrayList<>(others);
    table.columns().forEach(column -> all.addAll(othersOf(column)));
    return new TableOutline(
        table.table(),
        targetOf.apply(table.table()),
        table.columns().stream().map(this::column).toList(),
        table.keyColumns(),
        key.filter(MariadbIndex::isPrimary).isPresent(),
        table.indexes().stream()
            .filter(index -> !index.equals(key.orElse(null)))
            .map(OutlinedTable::index)
            .toList(),
        foreignKeys.stream().map(this::foreignKey).toList(),
        all);
  }

  /** A generated column becomes an ordinary one, with the source's values. */
  private OutlinedColumn column(MariadbColumn column) {
    return new OutlinedColumn(
        column.name(),
        PostgresType.ofSameKind(column.mappedType()),
        !column.nullable() && !table.makesNulls(column, values),
        false,
        column.isAutoIncrement(),
        column.isAutoIncrement() || column.generation().isPresent()
            ? Optional.empty()
            : defaultOf(column),
        Optional.of(column.columnType()));
  }

  /** The default as PostgreSQL prints it: texts with their type. */
  private Optional<String> defaultOf(MariadbColumn column) {
    ColumnDefault found = ColumnDefault.of(column, sequences);
    return found
        .sql()
        .map(sql -> sql.startsWith("'") ? sql + "::" + column.mappedType() : sql)
        .or(found::notMade);
  }

  private static OutlinedIndex index(MariadbIndex index) {
    return new OutlinedIndex(
        index.name(),
        index.unique(),
        index.parts().stream()
            .map(part -> new IndexedColumn(part.column(), part.descending()))
            .toList(),
        special(index));
  }

  /**
   * Why the index is special. One of prefixes is special only if it is unique; otherwise it may
   * contain complete values.
   */
  private static Optional<String> special(MariadbIndex index) {
    if (index.hasExpressions()) {
      return Optional.of("of expressions");
    }
    if (!index.kind().equals("BTREE")) {
      return Optional.of("of method " + index.kind());
    }
    boolean prefixed = index.parts().stream().map(Part::prefix).anyMatch(each -> each.isPresent());
    return index.unique() && prefixed ? Optional.of("of prefixes") : Optional.empty();
  }

  private OutlinedForeignKey foreignKey(MariadbForeignKey key) {
    return new OutlinedForeignKey(
        key.name(),
        key.columns(),
        targetOf.apply(key.referenced()),
        key.referencedColumns(),
        key.onUpdate(),
        key.onDelete(),
        key.referenced().schema().equals(key.table().schema())
            ? Optional.empty()
            : Optional.of("to another database"));
  }

  private static List<OtherObject> othersOf(MariadbColumn column) {
    List<OtherObject> others = new ArrayList<>();
    column
        .generation()
        .ifPresent(
            expression ->
                others.add(
                    new OtherObject(
                        "expression",
                        column.name(),
                        "the column has the source's values, and nothing fills it after the cutover: "
                            + expression)));
    if (column.isSetByUpdates()) {
      others.add(new OtherObject("update", column.name(), "ON UPDATE CURRENT_TIMESTAMP"));
    }
    return others;
  }
}
