package dev.sluice.engine.imports;

import dev.sluice.config.TableId;
import dev.sluice.load.target.BrokenForeignKey;
import java.util.List;

/**
 * The result of an import. Immutable.
 *
 * @param broken foreign keys that do not hold now
 */
public record ImportSummary(List<FileRows> files, List<BrokenForeignKey> broken) {

  /**
   * The rows of one file, also those of earlier starts.
   *
   * @param badRows that were put aside and are not on the target
   */
  public record FileRows(String file, TableId table, long rows, long badRows) {}

  public long rows() {
    return files.stream().mapToLong(FileRows::rows).sum();
  }

  public long badRows() {
    return files.stream().mapToLong(FileRows::badRows).sum();
  }
}
