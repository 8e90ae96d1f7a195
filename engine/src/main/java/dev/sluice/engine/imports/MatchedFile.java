package dev.sluice.engine.imports;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.FileFormat;
import java.nio.file.Path;
import java.util.List;

/**
 * A file of the folder and the table that its rows go into. Immutable.
 *
 * @param columns as the task file names them; empty: as the header or the table has them
 */
record MatchedFile(Path path, TableId table, FileFormat format, List<String> columns) {

  String name() {
    return path.getFileName().toString();
  }
}
