package dev.sluice.sink.sorter;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.SchemaLookup;
import java.io.ByteArrayOutputStream;

/**
 * Decodes the changes of a committed transaction in their order, once. Owned by the thread that
 * opened it.
 */
public final class TransactionChanges implements AutoCloseable {
  private final RecordReader records;
  private final SchemaLookup schemas;

  private ChangeCursor frame;
  private ByteArrayOutputStream pieces;

  public TransactionChanges(RecordReader records, SchemaLookup schemas) {
    this.records = records;
    this.schemas = schemas;
  }

  /**
   * The next change, or null after the last.
   *
   * @throws SluiceException.Fatal where it cannot be decoded
   */
  public ChangeEvent next() {
    try {
      while (true) {
        if (frame != null && frame.next()) {
          return frame.change();
        }
        byte[] value = records.next();
        if (value == null) {
          return null;
        }
        JournalRecord record = JournalRecord.parse(value);
        if (record instanceof Frame next) {
          frame = next.changes(schemas);
        } else if (record instanceof Piece piece) {
          frame = null;
          ChangeEvent whole = add(piece);
          if (whole != null) {
            return whole;
          }
        }
      }
    } catch (CorruptJournalException e) {
      throw new SluiceException.Fatal("a change cannot be decoded: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    records.close();
  }

  private ChangeEvent add(Piece piece) {
    if (pieces == null) {
      pieces = new ByteArrayOutputStream(piece.pieces() * piece.contentLength());
    }
    pieces.write(piece.bytes(), piece.contentAt(), piece.contentLength());
    if (!piece.isLast()) {
      return null;
    }
    byte[] content = pieces.toByteArray();
    pieces = null;
    return ChangeCursor.ofPieces(content, schemas);
  }
}
