package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.FileFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The table and columns into which a file is imported. Immutable.
 *
 * @param columns in the order of the file's values
 */
public record ImportTarget(TableId table, List<String> columns) {

  public ImportTarget {
    columns = List.copyOf(columns);
  }

  /**
   * The statement that loads records of the format. Two loads are alike if their statements are
   * equal.
   */
  public String copy(FileFormat format) {
    return "COPY "
        + table.quoted()
        + columns.stream().map(TableId::quote).collect(Collectors.joining(", ", " (", ")"))
        + " FROM STDIN WITH "
        + format.copyOptions();
  }
}
