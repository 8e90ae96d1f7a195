package dev.sluice.connector.postgres.load;

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

/**
 * A selected table, or view, as it was before the snapshot was taken. Immutable.
 *
 * @param oid PostgreSQL's number of it, which a rename keeps
 * @param columns in catalog order
 * @param key columns of the primary key, else of the index that is the replica identity; empty
 *     where the table has neither
 * @param partitioned whether its rows are in leaves below it
 * @param leaves what has its rows: itself, or each leaf below it; none where it has no leaf yet
 * @param view what it shows; empty where it is a table
 */
public record RecordedTable(
    TableId table,
    long oid,
    List<TableColumn> columns,
    List<String> key,
    boolean partitioned,
    List<RecordedLeaf> leaves,
    Optional<RecordedView> view) {
  public RecordedTable {
    columns = List.copyOf(columns);
    key = List.copyOf(key);
    leaves = List.copyOf(leaves);
  }

  /** A table. */
  public RecordedTable(
      TableId table,
      long oid,
      List<TableColumn> columns,
      List<String> key,
      boolean partitioned,
      List<RecordedLeaf> leaves) {
    this(table, oid, columns, key, partitioned, leaves, Optional.empty());
  }

  /** Whether it is a view or a materialized view. */
  public boolean isView() {
    return view.isPresent();
  }

  /** The mappings as they speak of it: a rule speaks of tables, of views, or of both. */
  public TableMappings ruledBy(TableMappings mappings) {
    return isView() ? mappings.ofViews() : mappings;
  }

  /** About how large the table was. */
  public long bytes() {
    return leaves.stream().mapToLong(RecordedLeaf::bytes).sum();
  }

  /**
   * A text that is another one once the table was altered, renamed or made anew, or has other
   * partitions; the same where only its rows were written, truncated or rewritten.
   *
   * @param rules what else is to make it another one, as text
   */
  public String shape(List<?> rules) {
    List<Object> shape = new ArrayList<>(List.of(table, oid, columns, key, partitioned, rules));
    for (RecordedLeaf leaf : leaves) {
      shape.addAll(List.of(leaf.leaf(), leaf.oid(), leaf.attributes()));
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
