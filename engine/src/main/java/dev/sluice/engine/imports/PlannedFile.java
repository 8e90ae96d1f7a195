package dev.sluice.engine.imports;

import dev.sluice.load.file.DataFile;
import dev.sluice.load.postgres.ImportTarget;

/** A file that passed all checks that are possible before its rows are read. Immutable. */
record PlannedFile(DataFile file, ImportTarget target) {

  String name() {
    return file.name();
  }

  /** The format and columns, which must not change between two starts of an import. */
  String layout() {
    return target.copy(file.format()) + (file.format().header() ? " after a header" : "");
  }
}
