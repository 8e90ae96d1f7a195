package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;

/** The net changes of one table in one round, while it is compacted. Not threadsafe. */
interface NetTable {

  static NetTable of(RowSchema schema) {
    return schema.hasKey() ? new NetRows(schema) : new NetCopies(schema);
  }

  RowSchema schema();

  /**
   * Takes the table's next change in source order.
   *
   * @throws DoesNotFollow where it cannot follow the changes before it; never for the first
   * @throws dev.sluice.config.document.SluiceException.Fatal where values of its row are missing
   */
  void add(RowChange change);

  /** What is left by now; may fall. */
  long netChanges();

  /** Heap bytes kept by now; may fall. */
  long retainedBytes();

  /** The result; the table is not to be used any more. */
  TableChanges build();
}
