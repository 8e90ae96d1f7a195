package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/*
 * A journal record's bytes (numbers are variable-length unless a width is given):
 *
 *   version 1 | kind 1 | term | ...
 *   kind 1, term start: position
 *   kind 2, frame:      transaction | first ordinal | count | flags 1
 *                       | where flags has 1: changes in all | position | commit time in µs
 *                         | transaction id | in version 7: length | bookmark
 *                       | count × (length | change)
 *   kind 3, piece:      transaction | ordinal | piece | pieces | bytes of the change
 *
 * A position has 8 bytes in a record of version 5 and 16 in one of version 6 or 7. A record has
 * version 6 only if its position needs it, and version 7 only if its end has a bookmark. Versions 3
 * and 4 had no transaction id.
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

  /** The version of a record whose position, if it has one, has 64 bits. */
  int VERSION = 5;

  /** The version of a record whose position has 128 bits. */
  int WIDE_VERSION = 6;

  /** The version of a record whose end has a bookmark; its position has 128 bits. */
  int BOOKMARK_VERSION = 7;

  /** The version of a record with this position. */
  static int versionFor(Position position) {
    return position.high() == 0 ? VERSION : WIDE_VERSION;
  }

  /** The version of a record with this end. */
  static int versionFor(TransactionEnd end) {
    return end.bookmark().isEmpty() ? versionFor(end.position()) : BOOKMARK_VERSION;
  }

  /** Writes the position of a record of that version. */
  static void writePosition(ByteSink sink, Position position, int version) {
    if (version != VERSION) {
      sink.writeLong(position.high());
    }
    sink.writeLong(position.low());
  }

  private static Position readPosition(ByteSource source, int version) {
    long high = version == VERSION ? 0 : source.readLong();
    return new Position(high, source.readLong());
  }

  /** Writes what a frame has of its transaction's end. */
  static void writeEnd(ByteSink sink, TransactionEnd end) {
    sink.writeVarlong(end.changes());
    int version = versionFor(end);
    writePosition(sink, end.position(), version);
    sink.writeVarlong(end.commitMicros());
    sink.writeVarlong(end.transactionId());
    if (version == BOOKMARK_VERSION) {
      byte[] bookmark = end.bookmark().getBytes(StandardCharsets.UTF_8);
      sink.writeVarint(bookmark.length);
      sink.write(bookmark, 0, bookmark.length);
    }
  }

  private static TransactionEnd readEnd(ByteSource source, int version) {
    long changes = source.readVarlong();
    Position position = readPosition(source, version);
    long commitMicros = source.readVarlong();
    long transactionId = source.readVarlong();
    String bookmark =
        version == BOOKMARK_VERSION
            ? new String(source.readBytes(source.readVarint()), StandardCharsets.UTF_8)
            : "";
    return new TransactionEnd(changes, position, commitMicros, transactionId, bookmark);
  }

  /** The number of the publisher's run: the epoch it claimed. */
  long term();

  /**
   * The first record of a term.
   *
   * @param position the slot's position at which the term starts
   */
  record TermStart(long term, Position position) implements JournalRecord {
    public byte[] encode() {
      ByteSink sink = new ByteSink(32);
      int version = versionFor(position);
      sink.writeByte(version);
      sink.writeByte(1);
      sink.writeVarlong(term);
      writePosition(sink, position, version);
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
   * @throws CorruptJournalException if the bytes are not a journal record of a known version
   */
  static JournalRecord parse(byte[] value) {
    Objects.requireNonNull(value, "value");
    ByteSource source = new ByteSource(value, 0, value.length);
    int version = source.readByte();
    if (version < VERSION || version > BOOKMARK_VERSION) {
      throw new CorruptJournalException(
          ("journal record of format %d, this release reads formats %d to %d; let the release that"
                  + " wrote it apply its backlog first")
              .formatted(version, VERSION, BOOKMARK_VERSION));
    }
    int kind = source.readByte();
    long term = source.readVarlong();
    switch (kind) {
      case 1:
        return new TermStart(term, readPosition(source, version));
      case 2:
        {
          long transaction = source.readVarlong();
          int firstOrdinal = source.readVarint();
          int count = source.readVarint();
          TransactionEnd end = null;
          if ((source.readByte() & 1) != 0) {
            end = readEnd(source, version);
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
