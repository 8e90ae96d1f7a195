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
 * @param key the primary key; without columns where it has none
 * @param columns in order
 * @param parents the tables that it inherits from, in order; of a partition none
 */
public record TableDefinition(
    TableId table,
    String partitionedBy,
    Partition partition,
    PrimaryKey key,
    List<ColumnDefinition> columns,
    List<Parent> parents) {

  /** When PostgreSQL looks whether a key holds. */
  public enum Checked {
    AT_ONCE(""),
    DEFERRABLE(" DEFERRABLE"),
    DEFERRED(" DEFERRABLE INITIALLY DEFERRED");

    private final String sql;

    Checked(String sql) {
      this.sql = sql;
    }

    /** What stands behind the constraint, with a blank before it. */
    public String sql() {
      return sql;
    }
  }

  /**
   * A primary key.
   *
   * @param columns by number, in its order
   */
  public record PrimaryKey(List<Integer> columns, Checked checked) {
    public PrimaryKey {
      columns = List.copyOf(columns);
      Objects.requireNonNull(checked, "checked");
    }

    public boolean isEmpty() {
      return columns.isEmpty();
    }

    public boolean contains(int column) {
      return columns.contains(column);
    }
  }

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
    Objects.requireNonNull(key, "key");
    columns = List.copyOf(columns);
    parents = List.copyOf(parents);
  }

  /** A table that inherits from none, and whose key is checked at once. */
  public TableDefinition(
      TableId table,
      String partitionedBy,
      Partition partition,
      List<Integer> key,
      List<ColumnDefinition> columns) {
    this(table, partitionedBy, partition, new PrimaryKey(key, Checked.AT_ONCE), columns, List.of());
  }

  public Optional<ColumnDefinition> column(int number) {
    return columns.stream().filter(column -> column.number() == number).findFirst();
  }

  /** The names of the primary key's columns, in its order. */
  public List<String> keyNames() {
    return key.columns().stream().map(number -> column(number).orElseThrow().name()).toList();
  }
}
