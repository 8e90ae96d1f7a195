package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.load.file.BatchOffset;
import dev.sluice.load.file.DataFile;
import java.util.List;
import java.util.OptionalLong;

/**
 * A file as the target remembers it. Immutable.
 *
 * @param layout columns and format with which it was begun
 * @param firstByte where its first row begins
 * @param endByte where its last row ends, once all its rows are in; else empty
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

  /** Rows of it on the target, without the bad ones. */
  public long rows() {
    return batches.stream().mapToLong(batch -> batch.place().rows() - batch.badRows()).sum();
  }

  public long badRows() {
    return batches.stream().mapToLong(ImportedBatch::badRows).sum();
  }

  public long bytes() {
    return batches.stream().mapToLong(batch -> batch.place().bytes()).sum();
  }

  /** How long its file of bad rows is; what is behind that was never committed. */
  public long badFileEnd() {
    return batches.stream().mapToLong(ImportedBatch::badFileEnd).max().orElse(0);
  }
}
