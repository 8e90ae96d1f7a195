package dev.sluice.connector.api;

import java.util.Objects;

/*
 * A journal record's bytes (numbers are variable-length unless a width is given):
 *
 *   version 1 | kind 1 | term | ...
 *   kind 1, term start: position 8
 *   kind 2, frame:      transaction | first ordinal | count | flags 1
 *                       | where flags has 1: changes in all | position 8 | commit time in µs
 *                       | count × (length | change)
 *   kind 3, piece:      transaction | ordinal | piece | pieces | bytes of the change
 *
 * A change's bytes: see ChangeCodec.
 */
/**
 * One record of the journal, with its stamp decoded and its changes still encoded. The stamp is the
 * term, the number of the transaction in the term and the ordinals of the changes, from 1.
 */
public sealed interface JournalRecord {

  /** The most bytes of a change in one record; a larger change is split into pieces. */
  int PIECE_BYTES = 512 * 1024;

  /** The version of the format that {@link #parse} reads and {@link TransactionEncoder} writes. */
  int VERSION = 3;

  /** The number of the publisher's run: the epoch it claimed. */
  long term();

  /**
   * The first record of a term.
   *
   * @param position the slot's position at which the term starts
   */
  record TermStart(long term, Position position) implements JournalRecord {
    public byte[] encode() {
      ByteSink sink = new ByteSink(24);
      sink.writeByte(VERSION);
      sink.writeByte(1);
      sink.writeVarlong(term);
      sink.writeLong(position.lsn());
      return sink.toByteArray();
    }
  }

  /**
   * Consecutive changes of one transaction; its last frame has its end. Progress of a source
   * without changes is a transaction without changes.
   *
   * @param end null if more of the transaction follows
   * @param bytes the record's value; callers must not modify it
   * @param changesAt index of the first change in it
   */
  record Frame(
      long term,
      long transaction,
      int firstOrdinal,
      int count,
      TransactionEnd end,
      byte[] bytes,
      int changesAt)
      implements JournalRecord {

    /** A cursor over the changes of this frame. */
    public ChangeCursor changes(SchemaLookup schemas) {
      return new ChangeCursor(bytes, changesAt, count, schemas);
    }
  }

  /**
   * A part of a change that is too large for one record.
   *
   * @param piece from 0
   * @param pieces number of pieces of the change
   * @param bytes the record's value; callers must not modify it
   * @param contentAt index of the part's first byte in it
   */
  record Piece(
      long term, long transaction, int ordinal, int piece, int pieces, byte[] bytes, int contentAt)
      implements JournalRecord {

    public int contentLength() {
      return bytes.length - contentAt;
    }

    public boolean isLast() {
      return piece == pieces - 1;
    }
  }

  /**
   * Decodes the stamp of a record.
   *
   * @throws CorruptJournalException if the bytes are not a journal record of this version
   */
  static JournalRecord parse(byte[] value) {
    Objects.requireNonNull(value, "value");
    ByteSource source = new ByteSource(value, 0, value.length);
    int version = source.readByte();
    if (version != VERSION) {
      throw new CorruptJournalException(
          "journal record of format " + version + ", this release reads format " + VERSION);
    }
    int kind = source.readByte();
    long term = source.readVarlong();
    switch (kind) {
      case 1:
        return new TermStart(term, new Position(source.readLong()));
      case 2:
        {
          long transaction = source.readVarlong();
          int firstOrdinal = source.readVarint();
          int count = source.readVarint();
          TransactionEnd end = null;
          if ((source.readByte() & 1) != 0) {
            end =
                new TransactionEnd(
                    source.readVarlong(), new Position(source.readLong()), source.readVarlong());
          }
          return new Frame(term, transaction, firstOrdinal, count, end, value, source.at());
        }
      case 3:
        {
          long transaction = source.readVarlong();
          int ordinal = source.readVarint();
          int piece = source.readVarint();
          int pieces = source.readVarint();
          return new Piece(term, transaction, ordinal, piece, pieces, value, source.at());
        }
      default:
        throw new CorruptJournalException("journal record of unknown kind " + kind);
    }
  }
}
