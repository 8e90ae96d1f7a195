package dev.sluice.sink.target.postgres;

import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.NoBinaryForm;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.copy.CopyIn;

/*
 * The server reads a value of this format without searching for its end and without parsing it,
 * which saves it up to a third of a COPY.
 */
/**
 * Writes rows in COPY's binary format. Only complete rows are sent, so that a row with a value that
 * has no binary form can still go another way. Owned by the apply thread.
 */
final class BinaryCopyWriter implements BulkLoad.Stream {
  private static final int CAPACITY = 64 * 1024;
  private static final int ABSENT = -1;

  /** A larger row is not held in memory once more. */
  private static final int LARGEST_ROW = 8 * 1024 * 1024;

  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0
  };

  /** What is checked when the server has taken the rows. */
  interface Ended {
    void check() throws SQLException;
  }

  private final CopyIn copy;
  private final BinaryForm[] forms;
  private final BinaryOutput out = new BinaryOutput(CAPACITY);

  private final Ended ended;

  /** Where the row that is being written begins. */
  private int rowStart;

  private int column;

  /**
   * @param forms of each column
   * @param ended called when the server has taken the rows
   */
  BinaryCopyWriter(CopyIn copy, List<BinaryForm> forms, Ended ended) {
    this.copy = copy;
    this.ended = ended;
    this.forms = forms.toArray(BinaryForm[]::new);
    out.bytes(SIGNATURE, 0, SIGNATURE.length);
    out.int32(0);
    out.int32(0);
    rowStart = out.size();
  }

  @Override
  public void number(long value) throws SQLException {
    begin(12);
    out.int32(8);
    out.int64(value);
  }

  /** Writes digits 0 and 1 as bits: their number, and then eight of them in a byte. */
  @Override
  public void text(String value) throws SQLException {
    int bytes = (value.length() + 7) / 8;
    begin(8 + bytes);
    out.int32(4 + bytes);
    out.int32(value.length());
    for (int i = 0; i < bytes; i++) {
      int octet = 0;
      for (int bit = 0; bit < 8; bit++) {
        int at = 8 * i + bit;
        octet = octet << 1 | (at < value.length() && value.charAt(at) == '1' ? 1 : 0);
      }
      out.int8(octet);
    }
  }

  @Override
  public void value(ValueCursor cursor) throws SQLException {
    if (!cursor.hasBytes()) {
      begin(4);
      out.int32(ABSENT);
      return;
    }
    requireField();
    BinaryForm form = forms[column];
    int from = cursor.offset();
    int to = from + cursor.length();
    begin(4 + form.longest(to - from));
    int length = out.size();
    out.size(length + 4);
    form.write(cursor.buffer(), from, to, out);
    out.int32(length, out.size() - length - 4);
  }

  private void requireField() {
    if (column == forms.length) {
      throw new IllegalStateException("BUG: a row of more than %d fields".formatted(forms.length));
    }
  }

  @Override
  public void endRow() {
    if (column != forms.length) {
      throw new IllegalStateException(
          "BUG: a row of %d fields, expected %d".formatted(column, forms.length));
    }
    rowStart = out.size();
    column = 0;
  }

  @Override
  public long end() throws SQLException {
    // What was not ended is dropped.
    out.size(rowStart);
    ensure(2);
    out.int16(ABSENT);
    copy.writeToCopy(out.array(), 0, out.size());
    long taken = copy.endCopy();
    ended.check();
    return taken;
  }

  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }

  /** Begins the next field, and before the first one the row. */
  private void begin(int room) throws SQLException {
    requireField();
    // Whether a row is too large depends on nothing else: a copy of it is too large as well.
    if (out.size() - rowStart + (long) room > LARGEST_ROW) {
      throw NoBinaryForm.INSTANCE;
    }
    ensure(room + 2);
    if (column == 0) {
      out.int16(forms.length);
    }
    column++;
  }

  private void ensure(int room) throws SQLException {
    if (out.left() < room) {
      makeRoom(room);
    }
  }

  private void makeRoom(int room) throws SQLException {
    if (rowStart > 0) {
      copy.writeToCopy(out.array(), 0, rowStart);
      out.dropFirst(rowStart);
      rowStart = 0;
    }
    out.ensure(room);
  }
}
