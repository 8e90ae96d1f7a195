package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.TableColumn;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A selected table, or view, as it was before the snapshot was taken. Immutable.
 *
 * @param id the table's identifier on the server, which a rename keeps
 * @param columns in catalog order
 * @param key columns of the primary key, else of the index that is the replica identity; empty if
 *     the table has neither
 * @param partitioned whether its rows are in leaves
 * @param leaves the tables with its rows: itself, or its leaves; empty if it has no leaf yet
 * @param view what the view reads; empty for a table
 * @param computed columns that the source computes, and whose values it has for a target that does
 *     not; not a part of the shape
 */
public record RecordedTable(
    TableId table,
    long id,
    List<TableColumn> columns,
    List<String> key,
    boolean partitioned,
    List<RecordedLeaf> leaves,
    Optional<RecordedView> view,
    Set<String> computed) {
  public RecordedTable {
    computed = Set.copyOf(computed);
    columns = List.copyOf(columns);
    key = List.copyOf(key);
    leaves = List.copyOf(leaves);
  }

  /** Creates a table or view without such columns. */
  public RecordedTable(
      TableId table,
      long id,
      List<TableColumn> columns,
      List<String> key,
      boolean partitioned,
      List<RecordedLeaf> leaves,
      Optional<RecordedView> view) {
    this(table, id, columns, key, partitioned, leaves, view, Set.of());
  }

  /** Creates a table, not a view. */
  public RecordedTable(
      TableId table,
      long id,
      List<TableColumn> columns,
      List<String> key,
      boolean partitioned,
      List<RecordedLeaf> leaves) {
    this(table, id, columns, key, partitioned, leaves, Optional.empty());
  }

  /** Whether it is a view or a materialized view. */
  public boolean isView() {
    return view.isPresent();
  }

  /** The mappings that apply to it: those for tables or those for views. */
  public TableMappings ruledBy(TableMappings mappings) {
    return isView() ? mappings.ofViews() : mappings;
  }

  /** The table's approximate size in bytes. */
  public long bytes() {
    return leaves.stream().mapToLong(RecordedLeaf::bytes).sum();
  }

  /**
   * A hash of the table's definition. It changes if the table is altered, renamed or re-created, or
   * its partitions change. It stays if only rows are written, truncated or rewritten.
   *
   * @param rules further values that are part of the hash, by their text
   */
  public String shape(List<?> rules) {
    List<Object> shape = new ArrayList<>(List.of(table, id, columns, key, partitioned, rules));
    for (RecordedLeaf leaf : leaves) {
      shape.addAll(List.of(leaf.leaf(), leaf.id(), leaf.attributes()));
    }
    view.ifPresent(shown -> shape.add(shown.definitions()));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(shape.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: every Java has SHA-256", e);
    }
  }
}
