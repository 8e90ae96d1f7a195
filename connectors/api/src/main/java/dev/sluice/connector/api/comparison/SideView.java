package dev.sluice.connector.api.comparison;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Optional;

/**
 * An open snapshot of one side. A read makes no other session wait for long: it is a short
 * transaction of its own on that snapshot, or holds nothing that others wait for. Owned by one
 * thread; {@link #close} may be called by another one when no read runs.
 *
 * <p>All reads throw {@link NotReadable} if the table cannot be read under this snapshot.
 */
public interface SideView extends AutoCloseable {

  /** What this side prints and hashes, to be compared with the other side. */
  SideForm form(HashSeeds seeds);

  /** A table as the snapshot shows it; empty if there is none of that name. */
  Optional<SideTable> table(TableId table);

  /**
   * The end of the first chunk of a range.
   *
   * @param size rows of the chunk, before keys are left out
   * @return the key of its last row; empty if the range has fewer rows, so the chunk ends with it
   */
  Optional<RowKey> endOfChunk(ComparedRows rows, KeyRange range, int size);

  /**
   * The ends of the blocks of the first chunk of a range.
   *
   * @param size rows of the chunk, before keys are left out
   * @param blockRows rows of each block, except for the last one
   * @return the keys of the blocks' last rows, in order; the last one is the end of the chunk
   *     unless the range has fewer rows
   */
  List<RowKey> endsOfBlocks(ComparedRows rows, KeyRange range, int size, int blockRows);

  /**
   * Count and sums of the hashes of a chunk's rows.
   *
   * @param most rows that are read; one more is counted if there are more, and the sums are of no
   *     use
   */
  ChunkSums sums(ComparedRows rows, ChunkBounds bounds, RowHash hash, long most);

  /**
   * The same for each of several ranges, in their order.
   *
   * @param blocks ranges with both ends
   * @param most rows that are read of each
   * @return empty if this side cannot tell the blocks apart, since a row that ends one is not there
   */
  List<ChunkSums> sumsOfBlocks(ComparedRows rows, List<KeyRange> blocks, RowHash hash, long most);

  /**
   * The statement by which anyone can read the same again, on one line. It needs a session with
   * {@link ComparisonSource#settings}. Sums of no rows are NULL.
   *
   * @return empty if a name or a condition has a line break
   */
  Optional<String> sumsStatement(ComparedRows rows, ChunkBounds bounds, RowHash hash);

  /**
   * The same for many buckets of keys in one scan, in the order of their numbers.
   *
   * @param buckets the first and last bucket
   */
  List<ChunkSums> sums(ComparedRows rows, KeyBuckets buckets, RowHash hash);

  /**
   * The same for one chunk, by the parts of the rows' hashes.
   *
   * @param parts their number, a power of two
   */
  List<ChunkSums> sumsByHash(ComparedRows rows, ChunkBounds bounds, RowHash hash, int parts);

  /**
   * Key and hash of each row of a chunk. Rows of a table without a key have an empty key.
   *
   * @param parts only rows whose hash is in these
   * @param most throws {@link NotReadable} if there are more
   */
  List<HashedRow> hashes(
      ComparedRows rows, ChunkBounds bounds, RowHash hash, HashParts parts, int most);

  /**
   * Key and hash of each row of several ranges.
   *
   * @param blocks ranges with both ends
   * @param most throws {@link NotReadable} if there are more
   */
  List<HashedRow> hashesOfBlocks(ComparedRows rows, List<KeyRange> blocks, RowHash hash, int most);

  /**
   * Finds rows by their keys.
   *
   * @return the rows found, each with the number of its key in the list, in any order
   */
  List<FoundHash> find(ComparedRows rows, List<RowKey> keys, RowHash hash, Lookup how);

  /** The same with the values of the rows as text. */
  List<FoundRow> read(ComparedRows rows, List<RowKey> keys, Lookup how);

  /** The values of rows by their hashes, for tables without a key. */
  List<FoundRow> read(ComparedRows rows, RowHash hash, List<HashedRow> wanted, int most);

  /** How rows are found by their keys. */
  enum Lookup {
    /** With the key's index. */
    BY_INDEX,
    /** Without any index, which may be corrupt: reads the complete table. */
    BY_SCAN
  }

  /**
   * Opens the session of a lane, unless it is open.
   *
   * @return false if the server takes no further session now
   */
  boolean tryOpen();

  /**
   * Views of the same snapshot, this one first. Each has a session of its own, which it opens when
   * it is used first, and may be used by a thread of its own; all know the tables that this one has
   * read from the catalog. They end with this one.
   *
   * @param number of them
   */
  List<SideView> lanes(int number);

  /** Ends the snapshot. Does not fail on a broken connection. */
  @Override
  void close();
}
