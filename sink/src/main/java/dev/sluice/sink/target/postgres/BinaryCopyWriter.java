package dev.sluice.sink.target.postgres;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.target.BulkLoad;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.copy.CopyIn;

/*
 * The server reads a value of this format without searching for its end and without parsing it,
 * which saves it up to a third of a COPY.
 */
/** Writes rows in COPY's binary format. Owned by the apply thread. */
final class BinaryCopyWriter implements BulkLoad.Stream {
  private static final int CAPACITY = 64 * 1024;
  private static final int ABSENT = -1;

  /** A value with more bytes does not go through the buffer in one piece. */
  private static final int LARGE = CAPACITY / 2;

  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0
  };

  private final CopyIn copy;
  private final List<BinaryForm> forms;
  private final BinaryOutput out = new BinaryOutput(CAPACITY);
  private int column;

  /**
   * @param forms of each column
   */
  BinaryCopyWriter(CopyIn copy, List<BinaryForm> forms) {
    this.copy = copy;
    this.forms = forms;
    out.bytes(SIGNATURE, 0, SIGNATURE.length);
    out.int32(0);
    out.int32(0);
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
    BinaryForm form = forms.get(column);
    int from = cursor.offset();
    try {
      if (cursor.length() > LARGE && form.isLarge()) {
        large(form, cursor.buffer(), from, from + cursor.length());
      } else {
        small(form, cursor.buffer(), from, from + cursor.length());
      }
    } catch (NoBinaryForm e) {
      // The changes of the window are applied again in small sets, as text.
      throw new SluiceException.Data(
          "column %d: a value of its type is not printed as %s"
              .formatted(
                  column,
                  new String(cursor.buffer(), from, cursor.length(), StandardCharsets.UTF_8)),
          e);
    }
  }

  private void small(BinaryForm form, byte[] text, int from, int to)
      throws SQLException, NoBinaryForm {
    begin(4 + form.longest(to - from));
    int length = out.size();
    out.size(length + 4);
    form.write(text, from, to, out);
    out.int32(length, out.size() - length - 4);
  }

  private void large(BinaryForm form, byte[] text, int from, int to)
      throws SQLException, NoBinaryForm {
    begin(5);
    if (form == BinaryForm.BYTEA) {
      BinaryNumbers.requireHex(text, from, to);
      out.int32((to - from) / 2 - 1);
      for (int at = from + 2; at < to; at += CAPACITY) {
        int next = Math.min(to, at + CAPACITY);
        ensure((next - at) / 2);
        BinaryNumbers.octets(text, at, next, out);
      }
      return;
    }
    boolean versioned = form == BinaryForm.JSONB;
    out.int32(to - from + (versioned ? 1 : 0));
    if (versioned) {
      out.int8(1);
    }
    flush();
    copy.writeToCopy(text, from, to - from);
  }

  @Override
  public void endRow() throws SQLException {
    if (forms.isEmpty()) {
      ensure(2);
      out.int16(0);
    }
    column = 0;
  }

  @Override
  public long end() throws SQLException {
    ensure(2);
    out.int16(ABSENT);
    flush();
    return copy.endCopy();
  }

  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }

  /** Begins the next field, and before the first one the row. */
  private void begin(int room) throws SQLException {
    ensure(room + 2);
    if (column == 0) {
      out.int16(forms.size());
    }
    column++;
  }

  private void ensure(int room) throws SQLException {
    if (out.left() < room) {
      flush();
      out.ensure(room);
    }
  }

  private void flush() throws SQLException {
    if (out.size() > 0) {
      copy.writeToCopy(out.array(), 0, out.size());
      out.size(0);
    }
  }
}
