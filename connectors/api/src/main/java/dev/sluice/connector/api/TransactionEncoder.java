package dev.sluice.connector.api;

import java.util.function.Consumer;

/**
 * Encodes transactions as journal records. Consecutive changes share a frame until it is full; the
 * last frame has the end; a change above {@link JournalRecord#PIECE_BYTES} is split into pieces.
 * Owned by the publisher's thread.
 */
public final class TransactionEncoder {
  private final long term;
  private final int frameBytes;
  private final int pieceBytes;
  private final Consumer<byte[]> records;

  private final ByteSink change = new ByteSink(1024);
  private final ByteSink frame;
  private long transaction;
  private long ordinal;
  private int inFrame;

  /**
   * @param frameBytes a frame is closed when its changes reach this size
   * @param records receives each finished record, in order
   */
  public TransactionEncoder(long term, int frameBytes, Consumer<byte[]> records) {
    this(term, frameBytes, JournalRecord.PIECE_BYTES, records);
  }

  TransactionEncoder(long term, int frameBytes, int pieceBytes, Consumer<byte[]> records) {
    this.term = term;
    this.frameBytes = frameBytes;
    this.pieceBytes = pieceBytes;
    this.records = records;
    this.frame = new ByteSink(frameBytes + 1024);
  }

  /** Encodes one change in the form that {@link ChangeCursor#ofPieces} reads. */
  public static byte[] bytesOf(ChangeEvent event) {
    ByteSink sink = new ByteSink(256);
    ChangeCodec.encode(event, sink);
    return sink.toByteArray();
  }

  /** The number of the open or last transaction, from 1. */
  public long transaction() {
    return transaction;
  }

  /** Starts the next transaction of the term. */
  public void begin() {
    transaction++;
    ordinal = 0;
  }

  /**
   * Adds the next change of the open transaction.
   *
   * @return the change's encoded size in bytes
   */
  public int add(ChangeEvent event) {
    change.reset();
    ChangeCodec.encode(event, change);
    int size = change.size();
    if (ordinal == Integer.MAX_VALUE) {
      throw new IllegalStateException("a transaction of more than 2,147,483,647 changes");
    }
    if (size > pieceBytes) {
      closeFrame(null);
      ordinal++;
      writePieces();
      return size;
    }
    if (frame.size() + size > pieceBytes) {
      closeFrame(null);
    }
    ordinal++;
    frame.writeVarint(size);
    frame.write(change.buffer(), 0, size);
    inFrame++;
    if (frame.size() >= frameBytes) {
      closeFrame(null);
    }
    return size;
  }

  /** Ends the open transaction, which the source has given no id. */
  public void end(Position position, long commitMicros) {
    end(position, commitMicros, 0);
  }

  /**
   * Ends the open transaction.
   *
   * @param commitMicros microseconds since 1970
   * @param transactionId the source's id of the transaction
   */
  public void end(Position position, long commitMicros, long transactionId) {
    end(position, commitMicros, transactionId, "");
  }

  /**
   * Ends the open transaction.
   *
   * @param commitMicros microseconds since 1970
   * @param transactionId the source's id of the transaction
   * @param bookmark what the source needs to read on after it; empty if the position says it
   */
  public void end(Position position, long commitMicros, long transactionId, String bookmark) {
    closeFrame(new TransactionEnd(ordinal, position, commitMicros, transactionId, bookmark));
  }

  private void closeFrame(TransactionEnd end) {
    if (inFrame == 0 && end == null) {
      return;
    }
    ByteSink record = new ByteSink(frame.size() + 64);
    record.writeByte(end == null ? JournalRecord.VERSION : JournalRecord.versionFor(end));
    record.writeByte(2);
    record.writeVarlong(term);
    record.writeVarlong(transaction);
    record.writeVarint((int) ordinal - inFrame + 1);
    record.writeVarint(inFrame);
    record.writeByte(end == null ? 0 : 1);
    if (end != null) {
      JournalRecord.writeEnd(record, end);
    }
    record.write(frame.buffer(), 0, frame.size());
    frame.reset();
    inFrame = 0;
    records.accept(record.toByteArray());
  }

  private void writePieces() {
    int pieces = (change.size() + pieceBytes - 1) / pieceBytes;
    for (int piece = 0; piece < pieces; piece++) {
      int from = piece * pieceBytes;
      int length = Math.min(pieceBytes, change.size() - from);
      ByteSink record = new ByteSink(length + 64);
      record.writeByte(JournalRecord.VERSION);
      record.writeByte(3);
      record.writeVarlong(term);
      record.writeVarlong(transaction);
      record.writeVarint((int) ordinal);
      record.writeVarint(piece);
      record.writeVarint(pieces);
      record.write(change.buffer(), from, length);
      records.accept(record.toByteArray());
    }
  }
}
