package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A source table as it was defined at one place of the log: an ordinary table, a partitioned one,
 * or a partition. Immutable.
 *
 * @param partitionedBy strategy and key as SQL; null where it is not partitioned
 * @param partition what it is a partition of; null where it is none
 * @param key the columns of the primary key by number, in its order; empty where it has none
 * @param columns in order
 * @param parents the tables that it inherits from, in order; of a partition none
 */
public record TableDefinition(
    TableId table,
    String partitionedBy,
    Partition partition,
    List<Integer> key,
    List<ColumnDefinition> columns,
    List<Parent> parents) {

  /**
   * A table that another one inherits from.
   *
   * @param relation its number, which stays through renames
   */
  public record Parent(long relation, TableId table) {
    public Parent {
      Objects.requireNonNull(table, "table");
    }
  }

  /**
   * The place of a partition.
   *
   * @param parent the table that it is directly of
   * @param root the table on top, under whose name the rows come; the parent or one above it
   * @param bound as SQL, with FOR VALUES
   * @param condition over the parent's columns, which its rows fulfil; null where there is none
   */
  public record Partition(TableId parent, TableId root, String bound, String condition) {
    public Partition {
      Objects.requireNonNull(parent, "parent");
      Objects.requireNonNull(root, "root");
      Objects.requireNonNull(bound, "bound");
    }
  }

  public TableDefinition {
    Objects.requireNonNull(table, "table");
    key = List.copyOf(key);
    columns = List.copyOf(columns);
    parents = List.copyOf(parents);
  }

  /** A table that inherits from none. */
  public TableDefinition(
      TableId table,
      String partitionedBy,
      Partition partition,
      List<Integer> key,
      List<ColumnDefinition> columns) {
    this(table, partitionedBy, partition, key, columns, List.of());
  }

  public Optional<ColumnDefinition> column(int number) {
    return columns.stream().filter(column -> column.number() == number).findFirst();
  }

  /** The names of the primary key's columns, in its order. */
  public List<String> keyNames() {
    return key.stream().map(number -> column(number).orElseThrow().name()).toList();
  }
}
