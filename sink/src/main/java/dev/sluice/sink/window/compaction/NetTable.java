package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;

/** Compacts the changes of one table in one round. Not threadsafe. */
interface NetTable {

  static NetTable of(RowSchema schema) {
    return schema.hasKey() ? new NetRows(schema) : new NetCopies(schema);
  }

  RowSchema schema();

  /**
   * Adds the table's next change in source order.
   *
   * @throws DoesNotFollow if it cannot follow the changes before it; never for the first
   * @throws dev.sluice.config.document.SluiceException.Fatal if values of its row are missing
   */
  void add(RowChange change);

  /** The number of net changes so far; may decrease. */
  long netChanges();

  /** Heap bytes used so far; may decrease. */
  long retainedBytes();

  /** Returns the result. This object must not be used any more. */
  TableChanges build();
}
