package dev.sluice.connector.api;

import dev.sluice.connector.api.JournalRecord.Piece;

/** Iterates once over the changes of a frame. Owned by the thread that created it. */
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

  /** A cursor at a single change whose pieces were joined. */
  public static ChangeCursor atWhole(byte[] content, SchemaLookup schemas) {
    return new ChangeCursor(content, 0, schemas);
  }

  /** A cursor at the change that begins with this first piece; the change cannot be decoded yet. */
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

  /** Decodes the current change. */
  public ChangeEvent change() {
    return schemas.mapped(ChangeCodec.decode(source.buffer(), start, end, schemas));
  }

  /**
   * The schema of the current row change as in the journal, without decoding the row; null for
   * other changes.
   */
  public RowSchema rowSchema() {
    return ChangeCodec.rowSchema(source.buffer(), start, end, schemas);
  }

  /** Whether the current change is DDL. */
  public boolean isDefinition() {
    return ChangeCodec.isDefinition(source.buffer(), start, end);
  }

  /** Decodes a change whose pieces were joined. */
  public static ChangeEvent ofPieces(byte[] content, SchemaLookup schemas) {
    return schemas.mapped(ChangeCodec.decode(content, 0, content.length, schemas));
  }
}
