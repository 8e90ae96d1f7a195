package dev.sluice.engine.imports;

import dev.sluice.load.ImportTarget;
import dev.sluice.load.file.DataFile;

/** A file that can be imported, as far as can be told before its rows are read. Immutable. */
record PlannedFile(DataFile file, ImportTarget target) {

  String name() {
    return file.name();
  }

  /** What must not change between two starts, or records and values would mean something else. */
  String layout() {
    return target.copy(file.format()) + (file.format().header() ? " after a header" : "");
  }
}
