package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A table that has rows, as it was before the snapshot was taken: a selected table itself, or a
 * leaf below a partitioned one. Immutable.
 *
 * @param oid PostgreSQL's number of it, which a rename keeps
 * @param fileNode the file in which the rows were; TRUNCATE and rewriting commands change it
 * @param attributes every column slot, dropped ones too, as text to be compared: with its collation
 *     and NOT NULL, on which the meaning of a range of keys hangs
 * @param bytes about how large it was with its large values; 0 where it was not asked for
 * @param pages of the rows themselves; 0 where it was not asked for
 * @param byPage whether the server can read a range of its pages without reading the others
 */
public record RecordedLeaf(
    TableId leaf,
    long oid,
    long fileNode,
    List<String> attributes,
    long bytes,
    long pages,
    boolean byPage) {
  public RecordedLeaf {
    attributes = List.copyOf(attributes);
  }
}
