package dev.sluice.sink.sorter;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.TableFilter;
import java.io.ByteArrayOutputStream;

/**
 * Decodes the changes of a committed transaction in order, once. Rows that the filter does not take
 * are skipped without decoding. Owned by the thread that opened it.
 */
public final class TransactionChanges implements AutoCloseable {
  private final RecordReader records;
  private final SchemaLookup schemas;
  private final TableFilter filter;
  private final ChangeObserver observer;

  private ChangeCursor frame;
  private ByteArrayOutputStream pieces;
  private long ordinal;
  private RowSchema lastSchema;
  private boolean lastTaken;

  public TransactionChanges(RecordReader records, SchemaLookup schemas, TableFilter filter) {
    this(records, schemas, filter, ChangeObserver.NONE);
  }

  TransactionChanges(
      RecordReader records, SchemaLookup schemas, TableFilter filter, ChangeObserver observer) {
    this.records = records;
    this.schemas = schemas;
    this.filter = filter;
    this.observer = observer;
  }

  /** The ordinal in the transaction, from 1, of the change that was returned last. */
  public long ordinal() {
    return ordinal;
  }

  /**
   * The next taken change; null after the last.
   *
   * @throws SluiceException.Fatal if it cannot be decoded
   */
  public ChangeEvent next() {
    ChangeEvent next = read();
    if (next == null) {
      observer.complete();
    } else {
      observer.observe(next);
    }
    return next;
  }

  private ChangeEvent read() {
    try {
      while (true) {
        while (frame != null && frame.next()) {
          ordinal++;
          ChangeEvent taken = taken(frame);
          if (taken != null) {
            return taken;
          }
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
          ChangeCursor whole = add(piece);
          ChangeEvent taken = whole == null ? null : taken(whole);
          if (taken != null) {
            return taken;
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

  private ChangeEvent taken(ChangeCursor cursor) {
    if (filter.isAll()) {
      return cursor.change();
    }
    RowSchema schema = cursor.rowSchema();
    if (schema == null) {
      return filter.of(cursor.change());
    }
    if (schema != lastSchema) {
      lastSchema = schema;
      lastTaken = filter.takes(schema.table());
    }
    return lastTaken ? cursor.change() : null;
  }

  /** The change that the piece completes; null if more pieces follow. */
  private ChangeCursor add(Piece piece) {
    if (pieces == null) {
      pieces = new ByteArrayOutputStream(piece.pieces() * piece.contentLength());
    }
    pieces.write(piece.bytes(), piece.contentAt(), piece.contentLength());
    if (!piece.isLast()) {
      return null;
    }
    byte[] content = pieces.toByteArray();
    pieces = null;
    ordinal++;
    return ChangeCursor.atWhole(content, schemas);
  }
}
