package dev.sluice.sink.sorter;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.lane.TableFilter;

/**
 * Tells how much a lane takes of a journal record, without decoding a row: a record of which it
 * takes nothing need not be held. Owned by the intake thread.
 */
final class RecordScan {
  private final SchemaLookup schemas;
  private final TableFilter filter;

  private RowSchema lastSchema;
  private boolean lastTaken;
  private boolean takesPieces;

  RecordScan(SchemaLookup schemas, TableFilter filter) {
    this.schemas = schemas;
    this.filter = filter;
  }

  /** Whether anything of the record is taken. */
  boolean takes(JournalRecord record) {
    return record instanceof Piece piece ? takesPiece(piece) : changesTaken(record) > 0;
  }

  /**
   * Changes that are taken of it; a change in pieces counts with its last one.
   *
   * @throws SluiceException.Fatal where it cannot be decoded
   */
  int changesTaken(JournalRecord record) {
    if (record instanceof Piece piece) {
      return takesPiece(piece) && piece.isLast() ? 1 : 0;
    }
    if (!(record instanceof Frame frame)) {
      return 0;
    }
    if (filter.isAll()) {
      return frame.count();
    }
    try {
      int taken = 0;
      ChangeCursor cursor = frame.changes(schemas);
      while (cursor.next()) {
        taken += takes(cursor) ? 1 : 0;
      }
      return taken;
    } catch (CorruptJournalException e) {
      throw new SluiceException.Fatal("a change cannot be decoded: " + e.getMessage(), e);
    }
  }

  private boolean takesPiece(Piece piece) {
    if (piece.piece() == 0) {
      try {
        RowSchema schema = ChangeCursor.atFirst(piece, schemas).rowSchema();
        takesPieces = schema == null || takes(schema);
      } catch (CorruptJournalException e) {
        throw new SluiceException.Fatal("a change cannot be decoded: " + e.getMessage(), e);
      }
    }
    return takesPieces;
  }

  private boolean takes(ChangeCursor cursor) {
    RowSchema schema = cursor.rowSchema();
    return schema == null ? filter.of(cursor.change()) != null : takes(schema);
  }

  private boolean takes(RowSchema schema) {
    if (schema != lastSchema) {
      lastSchema = schema;
      lastTaken = filter.takes(schema.table());
    }
    return lastTaken;
  }
}
