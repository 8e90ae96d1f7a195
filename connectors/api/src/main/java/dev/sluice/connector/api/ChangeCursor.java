package dev.sluice.connector.api;

import dev.sluice.connector.api.JournalRecord.Piece;

/** Goes once through the changes of a frame. Owned by the thread that made it. */
public final class ChangeCursor {
  private final ByteSource source;
  private final SchemaLookup schemas;
  private int left;
  private int start;
  private int end;

  ChangeCursor(byte[] bytes, int at, int count, SchemaLookup schemas) {
    this.source = new ByteSource(bytes, at, bytes.length);
    this.left = count;
    this.schemas = schemas;
  }

  private ChangeCursor(byte[] bytes, int start, SchemaLookup schemas) {
    this(bytes, start, 0, schemas);
    this.start = start;
    this.end = bytes.length;
  }

  /** Stands at the only change, whose bytes were put together from pieces. */
  public static ChangeCursor atWhole(byte[] content, SchemaLookup schemas) {
    return new ChangeCursor(content, 0, schemas);
  }

  /** Stands at the change of which this is the first piece; it cannot be decoded yet. */
  public static ChangeCursor atFirst(Piece piece, SchemaLookup schemas) {
    return new ChangeCursor(piece.bytes(), piece.contentAt(), schemas);
  }

  /** Moves to the next change; false after the last. */
  public boolean next() {
    if (left == 0) {
      return false;
    }
    left--;
    int length = source.readVarint();
    start = source.at();
    source.skip(length);
    end = source.at();
    return true;
  }

  /** The change at which the cursor stands. */
  public ChangeEvent change() {
    return schemas.mapped(ChangeCodec.decode(source.buffer(), start, end, schemas));
  }

  /**
   * The schema of the row change at which it stands, as the journal has it, read without the row;
   * null for others.
   */
  public RowSchema rowSchema() {
    return ChangeCodec.rowSchema(source.buffer(), start, end, schemas);
  }

  /** Whether it stands at DDL. */
  public boolean isDefinition() {
    return ChangeCodec.isDefinition(source.buffer(), start, end);
  }

  /** Reads a change put together from its pieces. */
  public static ChangeEvent ofPieces(byte[] content, SchemaLookup schemas) {
    return schemas.mapped(ChangeCodec.decode(content, 0, content.length, schemas));
  }
}
