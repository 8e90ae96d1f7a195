package dev.sluice.engine.imports;

import dev.sluice.load.file.DataFile;
import dev.sluice.load.target.ImportTarget;

/**
 * A file that passed all checks that are possible before its rows are read. Immutable.
 *
 * @param layout the format and columns, which must not change between two starts of an import
 */
record PlannedFile(DataFile file, ImportTarget target, String layout) {

  String name() {
    return file.name();
  }
}
