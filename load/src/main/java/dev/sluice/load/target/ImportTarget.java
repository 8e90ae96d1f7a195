package dev.sluice.load.target;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * The table and columns into which a file is imported. Immutable.
 *
 * @param columns in the order of the file's values
 */
public record ImportTarget(TableId table, List<String> columns) {

  public ImportTarget {
    columns = List.copyOf(columns);
  }
}
