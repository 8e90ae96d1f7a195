package dev.sluice.bench.load;

import dev.sluice.bench.server.Database;
import java.nio.file.Path;

/** One way to bring rows into an empty table. Used by the benchmark's thread alone. */
public interface LoadMethod {

  /** As it stands in the table. */
  String name();

  /** How many of the rows it writes: fewer for a very slow writer. */
  default int share(int rows) {
    return rows;
  }

  /**
   * Writes the rows.
   *
   * @param csv the same rows in a file
   */
  void write(Database target, CsvRows table, Path csv, int rows) throws Exception;
}
