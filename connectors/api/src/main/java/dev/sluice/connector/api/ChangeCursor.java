package dev.sluice.connector.api;

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
    return ChangeCodec.decode(source.buffer(), start, end, schemas);
  }

  /** Reads a change put together from its pieces. */
  public static ChangeEvent ofPieces(byte[] content, SchemaLookup schemas) {
    return ChangeCodec.decode(content, 0, content.length, schemas);
  }
}
