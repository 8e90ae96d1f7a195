package dev.sluice.sink.sorter;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.lane.TableFilter;

/**
 * Counts the changes of a journal record that a lane takes, without decoding a row. A record
 * without taken changes need not be held. Owned by the intake thread.
 */
final class RecordScan {
  private final SchemaLookup schemas;
  private final TableFilter filter;
  private final boolean findsDefinitions;

  private RowSchema lastSchema;
  private boolean lastTaken;
  private boolean takesPieces;

  // Of the last scanned record.
  private boolean takes;
  private int changes;

  // Of the open transaction.
  private boolean altersTables;

  /**
   * @param findsDefinitions whether DDL is looked for, also if everything is taken
   */
  RecordScan(SchemaLookup schemas, TableFilter filter, boolean findsDefinitions) {
    this.schemas = schemas;
    this.filter = filter;
    this.findsDefinitions = findsDefinitions;
  }

  /**
   * Scans the next record of a transaction; the same record may be scanned again.
   *
   * @throws SluiceException.Fatal if the record cannot be decoded
   */
  void scan(JournalRecord record) {
    try {
      if (record instanceof Frame frame) {
        changes = takesAllUnseen() ? frame.count() : changesTaken(frame);
        takes = changes > 0;
      } else if (record instanceof Piece piece) {
        takes = takesAllUnseen() || takesPiece(piece);
        changes = takes && piece.isLast() ? 1 : 0;
      }
    } catch (CorruptJournalException e) {
      throw new SluiceException.Fatal("a change cannot be decoded: " + e.getMessage(), e);
    }
  }

  /** True if at least one change of the record is taken. */
  boolean takes() {
    return takes;
  }

  /** The number of taken changes. A change in pieces counts with its last piece. */
  int changes() {
    return changes;
  }

  private boolean takesAllUnseen() {
    return filter.isAll() && !findsDefinitions;
  }

  /** True if DDL was found in the transaction; false if it was not looked for. */
  boolean altersTables() {
    return altersTables;
  }

  /** Starts another transaction. */
  void reset() {
    altersTables = false;
  }

  private int changesTaken(Frame frame) {
    int taken = 0;
    ChangeCursor cursor = frame.changes(schemas);
    while (cursor.next()) {
      RowSchema schema = cursor.rowSchema();
      if (schema == null) {
        altersTables |= cursor.isDefinition();
        taken += filter.of(cursor.change()) == null ? 0 : 1;
      } else if (takes(schema)) {
        taken++;
      }
    }
    return taken;
  }

  private boolean takesPiece(Piece piece) {
    if (piece.piece() == 0) {
      ChangeCursor cursor = ChangeCursor.atFirst(piece, schemas);
      RowSchema schema = cursor.rowSchema();
      altersTables |= cursor.isDefinition();
      takesPieces = schema == null || takes(schema);
    }
    return takesPieces;
  }

  private boolean takes(RowSchema schema) {
    if (schema != lastSchema) {
      lastSchema = schema;
      lastTaken = filter.takes(schema.table());
    }
    return lastTaken;
  }
}
