package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A table that stores rows, as it was before the snapshot was taken: a selected table itself, or a
 * leaf of a partitioned one. Immutable.
 *
 * @param id the table's identifier on the server, which a rename keeps
 * @param storage identifier of what stores the rows; TRUNCATE and rewriting commands change it
 * @param attributes all columns, dropped ones too, as text for comparison. It has their collation
 *     and NOT NULL, on which the conditions of key ranges depend
 * @param bytes approximate size with large values, in bytes; 0 if it was not read
 * @param pages pages of the rows without large values; 0 if it was not read
 * @param byPage whether the server can read a range of its pages without reading the others
 */
public record RecordedLeaf(
    TableId leaf,
    long id,
    long storage,
    List<String> attributes,
    long bytes,
    long pages,
    boolean byPage) {
  public RecordedLeaf {
    attributes = List.copyOf(attributes);
  }
}
