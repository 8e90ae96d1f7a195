package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A source's table without SQL, for targets that have types and statements of their own. Immutable.
 *
 * @param source its name on the source
 * @param table its name on the target
 * @param key the columns by which rows are told from each other, in order; empty if there are none
 * @param primary whether they are the primary key
 * @param indexes without that of the key
 * @param others what else the table has
 */
public record TableOutline(
    TableId source,
    TableId table,
    List<OutlinedColumn> columns,
    List<String> key,
    boolean primary,
    List<OutlinedIndex> indexes,
    List<OutlinedForeignKey> foreignKeys,
    List<OtherObject> others) {

  public TableOutline {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(table, "table");
    columns = List.copyOf(columns);
    key = List.copyOf(key);
    indexes = List.copyOf(indexes);
    foreignKeys = List.copyOf(foreignKeys);
    others = List.copyOf(others);
  }

  /**
   * A column.
   *
   * @param type as PostgreSQL's {@code format_type} prints it
   * @param generated whether its value is computed from other columns
   * @param counted whether it is an identity, or its default is the next value of its own sequence
   * @param defaultValue its default as the source prints it; empty if it has none or is counted
   * @param ownType the type that the source calls it, for messages; empty if that is {@code type}
   */
  public record OutlinedColumn(
      String name,
      String type,
      boolean notNull,
      boolean generated,
      boolean counted,
      Optional<String> defaultValue,
      Optional<String> ownType) {
    public OutlinedColumn {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(defaultValue, "defaultValue");
      Objects.requireNonNull(ownType, "ownType");
    }

    /** A column of a source that has PostgreSQL's types. */
    public OutlinedColumn(
        String name,
        String type,
        boolean notNull,
        boolean generated,
        boolean counted,
        Optional<String> defaultValue) {
      this(name, type, notNull, generated, counted, defaultValue, Optional.empty());
    }

    /** The same column under another name. */
    public OutlinedColumn named(String other) {
      return new OutlinedColumn(other, type, notNull, generated, counted, defaultValue, ownType);
    }
  }

  /**
   * An index.
   *
   * @param special what makes it more than an ordinary index of columns, for messages; empty if
   *     nothing does
   */
  public record OutlinedIndex(
      String name, boolean unique, List<IndexedColumn> columns, Optional<String> special) {
    public OutlinedIndex {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(special, "special");
      columns = List.copyOf(columns);
    }
  }

  /** A column of an index. */
  public record IndexedColumn(String name, boolean descending) {}

  /**
   * A foreign key.
   *
   * @param references the referenced table's name on the target
   * @param special what makes it more than an ordinary foreign key, for messages; empty if nothing
   *     does
   */
  public record OutlinedForeignKey(
      String name,
      List<String> columns,
      TableId references,
      List<String> referencedColumns,
      String onUpdate,
      String onDelete,
      Optional<String> special) {
    public OutlinedForeignKey {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(references, "references");
      Objects.requireNonNull(onUpdate, "onUpdate");
      Objects.requireNonNull(onDelete, "onDelete");
      Objects.requireNonNull(special, "special");
      columns = List.copyOf(columns);
      referencedColumns = List.copyOf(referencedColumns);
    }
  }

  /**
   * Something of the table that has no form but the source's own.
   *
   * @param kind for messages: {@code check}
   * @param definition as the source prints it
   */
  public record OtherObject(String kind, String name, String definition) {}

  public Optional<OutlinedColumn> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }
}
