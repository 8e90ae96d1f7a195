package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.load.file.BatchOffset;
import dev.sluice.load.file.DataFile;
import java.util.List;
import java.util.OptionalLong;

/**
 * A file of an import as recorded on the target. Immutable.
 *
 * @param layout columns and format with which its import was started
 * @param firstByte offset of its first row
 * @param endByte offset after its last row once all rows are loaded; otherwise empty
 */
public record ImportedFile(
    String name,
    TableId table,
    String layout,
    DataFile.Identity identity,
    long firstByte,
    OptionalLong endByte,
    List<ImportedBatch> batches) {

  public ImportedFile {
    batches = List.copyOf(batches);
  }

  public boolean isWhole() {
    return endByte.isPresent();
  }

  public List<BatchOffset> places() {
    return batches.stream().map(ImportedBatch::place).toList();
  }

  /** The number of its rows on the target, without bad rows. */
  public long rows() {
    return batches.stream().mapToLong(batch -> batch.place().rows() - batch.badRows()).sum();
  }

  public long badRows() {
    return batches.stream().mapToLong(ImportedBatch::badRows).sum();
  }

  public long bytes() {
    return batches.stream().mapToLong(batch -> batch.place().bytes()).sum();
  }

  /** The committed length of its file of bad rows; bytes after it were never committed. */
  public long badFileEnd() {
    return batches.stream().mapToLong(ImportedBatch::badFileEnd).max().orElse(0);
  }
}
