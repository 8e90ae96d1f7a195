package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The definition of a source table at a position of the log: an ordinary table, a partitioned table
 * or a partition. Immutable.
 *
 * @param partitionedBy strategy and key as SQL; null if it is not partitioned
 * @param partition its parent and bound; null if it is not a partition
 * @param key the primary key; without columns if there is none
 * @param columns in order
 * @param parents the tables that it inherits from, in order; empty for a partition
 */
public record TableDefinition(
    TableId table,
    String partitionedBy,
    Partition partition,
    PrimaryKey key,
    List<ColumnDefinition> columns,
    List<Parent> parents) {

  /** When PostgreSQL checks a key. */
  public enum Checked {
    AT_ONCE(""),
    DEFERRABLE(" DEFERRABLE"),
    DEFERRED(" DEFERRABLE INITIALLY DEFERRED");

    private final String sql;

    Checked(String sql) {
      this.sql = sql;
    }

    /** The clause after the constraint, with a leading blank. */
    public String sql() {
      return sql;
    }
  }

  /**
   * A primary key.
   *
   * @param columns their numbers, in the key's order
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
   * A table from which another one inherits.
   *
   * @param relation its oid on the source, which a rename keeps
   */
  public record Parent(long relation, TableId table) {
    public Parent {
      Objects.requireNonNull(table, "table");
    }
  }

  /**
   * The parent and bound of a partition.
   *
   * @param parent the table directly above it
   * @param root the topmost table, under whose name the rows are journaled
   * @param bound as SQL, with FOR VALUES
   * @param condition SQL over the parent's columns that matches its rows; null if there is none
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

  /** A table without parents, whose key is checked at once. */
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
